//! With a key of one inbox, every operation on a sibling is out of scope.

use inboxd_testkit::Request;
use serde_json::json;

use super::document::operations;
use crate::support::server_and_agent;

#[tokio::test]
async fn every_operation_of_a_sibling_inbox_is_out_of_scope() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    let key = agent.key_with(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let values = [
        ("inbox_id", "sibling@inboxd.localhost".to_owned()),
        ("message_id", "nobody@nowhere.example".to_owned()),
        ("thread_id", "thr_00000000000000000000000000000000".to_owned()),
        ("draft_id", "drf_00000000000000000000000000000000".to_owned()),
        ("attachment_id", "att_00000000000000000000000000000000".to_owned()),
        ("api_key_id", "key_00000000000000000000000000000000".to_owned()),
        ("pod_id", "pod_00000000000000000000000000000000".to_owned()),
        ("direction", "send".to_owned()),
        ("type", "block".to_owned()),
        ("entry", "nobody@nowhere.example".to_owned()),
    ];
    let mut tried = 0;
    for operation in operations(&server).await.into_iter().filter(|operation| operation.path.contains("{inbox_id}")) {
        let mut target = operation.target(&values);
        if target.ends_with("/search") {
            target.push_str("?q=a");
        }
        let mut request = Request::new(&operation.method, &target);
        if operation.has_body {
            request = request.json(&json!({
                "to": "bob@outside.example", "text": "x", "name": "x", "message_ids": ["<a@b.example>"], "add_labels": ["x"],
                "entry": "x.example",
            }));
        }
        key.call(request).await.refused(403, "inbox_out_of_scope");
        tried += 1;
    }
    assert!(tried > 20, "{tried} operations only were tried");
}
