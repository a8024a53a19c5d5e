//! For a member limited to other inboxes, every operation on an inbox, and on a pod as a whole, is out of scope.

use serde_json::json;

use super::document::operations;
use crate::people::joined;
use crate::support::server_and_agent;

#[tokio::test]
async fn every_operation_of_an_inbox_or_a_pod_is_out_of_scope_for_a_member_of_others() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let maria = joined(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let values = [("inbox_id", "sibling@inboxd.localhost"), ("pod_id", pod.as_str())];
    let mut tried = 0;
    for operation in operations(&server).await {
        if operation.names("inbox_id") || operation.names("pod_id") {
            maria.call(operation.request(&values)).await.refused(403, "inbox_out_of_scope");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried} operations only were tried");
}
