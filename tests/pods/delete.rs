//! `DELETE /v0/pods/{pod_id}`

use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn default_pod_and_pod_with_inboxes_cannot_be_deleted() {
    let (_server, agent) = server_and_agent().await;
    let default = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let kept = agent.delete(&format!("/v0/pods/{default}")).await.require_error(409, "cannot_delete");
    assert_eq!(kept["fix"], "keep the default pod; an organization always has one");
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let inbox = agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    let used = agent.delete(&format!("/v0/pods/{pod}")).await.require_error(409, "cannot_delete");
    assert!(used["fix"].as_str().unwrap().contains(&format!("GET /v0/pods/{pod}/inboxes")), "{used:#}");
    agent.delete(&format!("/v0/inboxes/{}", inbox["inbox_id"].as_str().unwrap())).await.require_no_content();
    let key = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "pod"})).await;
    key.get("/v0/inboxes").await.ok();
    agent.delete(&format!("/v0/pods/{pod}")).await.require_no_content();
    key.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    for path in ["", "/inboxes", "/api-keys"] {
        agent.get(&format!("/v0/pods/{pod}{path}")).await.require_error(404, "not_found");
    }
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({})).await.require_error(404, "not_found");
    agent.delete(&format!("/v0/pods/{pod}")).await.require_error(404, "not_found");
}
