//! Inboxes of a pod.

use serde_json::json;

use crate::support::{server_and_agent, text_fields};

#[tokio::test]
async fn pod_shows_only_its_inboxes() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/v0/pods/{pod}/inboxes{rest}");
    let made = agent.post(&path(""), json!({"username": "desk", "client_id": "desk"})).await.ok();
    assert_eq!(made["pod_id"], pod.as_str());
    assert_eq!(agent.post(&path(""), json!({"client_id": "desk"})).await.ok(), made, "the same client_id");
    assert_eq!(text_fields(&agent.get(&path("")).await.ok(), "inboxes", "inbox_id"), ["desk@inboxd.localhost"]);
    assert_eq!(agent.get(&path("/desk@inboxd.localhost")).await.ok(), made);
    let changed = agent.patch(&path("/desk@inboxd.localhost"), json!({"display_name": "Desk"})).await.ok();
    assert_eq!(changed["display_name"], "Desk");
    // The inbox of another pod is omitted, although the key may read it.
    let other = path(&format!("/{}", agent.inbox_id));
    agent.get(&other).await.require_error(404, "not_found");
    agent.patch(&other, json!({})).await.require_error(404, "not_found");
    agent.delete(&other).await.require_error(404, "not_found");
    agent.delete(&path("/desk@inboxd.localhost")).await.require_no_content();
    assert_eq!(agent.get(&path("")).await.ok()["count"], 0);
    assert_eq!(agent.get(&path("/search?q=scout")).await.ok()["count"], 0);
    assert_eq!(agent.get("/v0/inboxes/search?q=scout").await.ok()["count"], 1);
}

#[tokio::test]
async fn client_id_of_other_pod_conflicts() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post("/v0/inboxes", json!({"username": "desk", "client_id": "desk"})).await.ok();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"client_id": "desk"})).await.require_error(409, "conflict");
}
