//! Keys of one inbox or pod, for which every operation on another one is out of scope, even if it does not exist.

use serde_json::json;

use super::document::operations;
use crate::people::sign_in_client;
use crate::support::server_and_agent;

#[tokio::test]
async fn operations_of_sibling_inbox_are_out_of_scope() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "sibling"})).await.ok();
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    let mut tried = 0;
    for operation in operations(&server).await.into_iter().filter(|operation| operation.names("inbox_id")) {
        for inbox_id in ["sibling@inboxd.localhost", "nobody@inboxd.localhost"] {
            key.call(operation.request(&[("inbox_id", inbox_id)])).await.require_error(403, "inbox_out_of_scope");
        }
        tried += 1;
    }
    assert!(tried > 20, "only {tried} operations were tried");
}

#[tokio::test]
async fn operations_of_other_pod_are_out_of_scope() {
    let (server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({"name": "mine"})).await.ok();
    let others = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let key = agent.create_key(&format!("/v0/pods/{}/api-keys", pod["pod_id"].as_str().unwrap()), json!({})).await;
    // Only a person can grant what is opt-in.
    let owner = sign_in_client(&server, "owner@example.org").await;
    let granted = json!({"permissions": {"message_read": true, "agent_armor_release": true}});
    let path = format!("/v0/pods/{}/api-keys", pod["pod_id"].as_str().unwrap());
    let releasing = owner.post(&path, granted).await.ok();
    let releasing = server.http().with_key(releasing["api_key"].as_str().unwrap());
    let mut tried = 0;
    for operation in operations(&server).await {
        if operation.names("pod_id") {
            for pod_id in [others.as_str(), "pod_00000000000000000000000000000000"] {
                // Operations outside any pod are refused for the permission before the pod is read.
                let answer = key.call(operation.request(&[("pod_id", pod_id)])).await;
                assert_eq!(answer.require_error(403, "pod_out_of_scope")["name"], "ForbiddenError");
            }
            tried += 1;
        } else if operation.names("inbox_id") {
            let is_release = operation.path.ends_with("/agent-armor/release");
            let key = if is_release { &releasing } else { &key };
            let answer = key.call(operation.request(&[("inbox_id", &agent.inbox_id)])).await;
            // No key of a pod belongs to a person, who alone may change policies.
            let is_of_person = operation.path.ends_with("/policy") && operation.method != "GET";
            answer.require_error(403, if is_of_person { "role_not_allowed" } else { "pod_out_of_scope" });
            tried += 1;
        }
    }
    assert!(tried > 40, "only {tried} operations were tried");
}
