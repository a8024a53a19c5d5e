//! For a member limited to other inboxes, every operation on an inbox is out of scope.

use inboxd_testkit::Request;
use serde_json::json;

use super::document::operations;
use crate::people::joined;
use crate::support::server_and_agent;

#[tokio::test]
async fn every_operation_of_an_inbox_is_out_of_scope_for_a_member_of_others() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    let maria = joined(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let values = [
        ("inbox_id", "sibling@inboxd.localhost".to_owned()),
        ("message_id", "nobody@nowhere.example".to_owned()),
        ("thread_id", "thr_00000000000000000000000000000000".to_owned()),
        ("attachment_id", "att_00000000000000000000000000000000".to_owned()),
        ("api_key_id", "key_00000000000000000000000000000000".to_owned()),
    ];
    let mut tried = 0;
    for operation in operations(&server).await.into_iter().filter(|operation| operation.path.contains("{inbox_id}")) {
        let mut request = Request::new(&operation.method, &operation.target(&values));
        if operation.has_body {
            request = request.json(&json!({}));
        }
        maria.call(request).await.refused(403, "inbox_out_of_scope");
        tried += 1;
    }
    assert!(tried > 20, "{tried} operations only were tried");
}
