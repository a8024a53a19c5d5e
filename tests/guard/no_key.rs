//! Without a key, or with one that has expired, every operation that needs one is refused before anything else is
//! looked at.

use inboxd_testkit::{Request, eventually};
use serde_json::json;

use super::document::operations;
use crate::support::{in_seconds, server, server_and_agent};

#[tokio::test]
async fn every_operation_that_needs_a_key_is_refused_without_one() {
    let server = server().await;
    let mut guarded = 0;
    for operation in operations(&server).await.into_iter().filter(|operation| !operation.is_open()) {
        let target = operation.target(&[]);
        let requests = [
            (Request::new(&operation.method, &target), "missing_authorization"),
            (Request::new(&operation.method, &target).header("Authorization", "Bearer am_unknown"), "unknown_api_key"),
            (
                Request::new(&operation.method, &format!("{target}?limit=x")).json(&json!({"x": [1]})),
                "missing_authorization",
            ),
            (
                Request::new(&operation.method, &target).header("Content-Type", "application/json").body("{"),
                "missing_authorization",
            ),
        ];
        for (request, code) in requests {
            let answer = server.http().call(request).await;
            answer.refused(401, code);
        }
        guarded += 1;
    }
    assert!(guarded > 25, "{guarded} operations only were guarded");
}

#[tokio::test]
async fn every_request_with_an_expired_key_is_refused() {
    let (server, agent) = server_and_agent().await;
    let key = agent.key_with("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(2)})).await;
    eventually("the key expires", async || (key.get("/v0/inboxes").await.status == 401).then_some(())).await;
    for operation in operations(&server).await.into_iter().filter(|operation| !operation.is_open()) {
        let answer = key.call(operation.request(&[("inbox_id", &agent.inbox_id)])).await;
        answer.refused(401, "api_key_expired");
    }
}
