//! Without a key, every operation that needs one is refused before anything else is looked at.

use inboxd_testkit::Request;
use serde_json::json;

use super::document::operations;
use crate::support::server;

#[tokio::test]
async fn every_operation_that_needs_a_key_is_refused_without_one() {
    let server = server().await;
    let nobody = [
        ("inbox_id", "nobody@inboxd.localhost".to_owned()),
        ("message_id", "nobody@nowhere.example".to_owned()),
        ("thread_id", "thr_00000000000000000000000000000000".to_owned()),
        ("attachment_id", "att_00000000000000000000000000000000".to_owned()),
        ("api_key_id", "key_00000000000000000000000000000000".to_owned()),
        ("domain_id", "dom_00000000000000000000000000000000".to_owned()),
        ("member_id", "mem_00000000000000000000000000000000".to_owned()),
        ("token", "nothing".to_owned()),
    ];
    let mut guarded = 0;
    for operation in operations(&server).await.into_iter().filter(|operation| !operation.is_open()) {
        let target = operation.target(&nobody);
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
