//! Missing and expired keys, which every operation refuses before any other check.

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::json;

use super::document::operations;
use crate::support::{in_seconds, server, server_and_agent};

#[tokio::test]
async fn operations_without_key_are_refused() {
    let server = server().await;
    let mut guarded = 0;
    for operation in operations(&server).await.into_iter().filter(|operation| !operation.is_open()) {
        let target = operation.target(&[]);
        let requests = [
            (HttpRequest::new(&operation.method, &target), "missing_authorization"),
            (
                HttpRequest::new(&operation.method, &target).header("Authorization", "Bearer am_unknown"),
                "unknown_api_key",
            ),
            (
                HttpRequest::new(&operation.method, &format!("{target}?limit=x")).json(&json!({"x": [1]})),
                "missing_authorization",
            ),
            (
                HttpRequest::new(&operation.method, &target).header("Content-Type", "application/json").body("{"),
                "missing_authorization",
            ),
        ];
        for (request, code) in requests {
            let answer = server.http().call(request).await;
            answer.require_error(401, code);
        }
        guarded += 1;
    }
    assert!(guarded > 25, "only {guarded} operations need a key");
}

#[tokio::test]
async fn requests_with_expired_key_are_refused() {
    let (server, agent) = server_and_agent().await;
    let key = agent.create_key("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(2)})).await;
    eventually("the key expires", async || (key.get("/v0/inboxes").await.status == 401).then_some(())).await;
    for operation in operations(&server).await.into_iter().filter(|operation| !operation.is_open()) {
        let answer = key.call(operation.request(&[("inbox_id", &agent.inbox_id)])).await;
        answer.require_error(401, "api_key_expired");
    }
}
