//! Drafts of a pod.

use inboxd_testkit::HttpRequest;
use serde_json::json;

use crate::support::{server_and_agent, text_fields};

#[tokio::test]
async fn pod_shows_only_drafts_of_its_inboxes() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/v0/pods/{pod}/drafts{rest}");
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    let file = json!({"filename": "a.txt", "content": "YSBmaWxl"});
    let desk = "/v0/inboxes/desk@inboxd.localhost/drafts";
    let inside = agent.post(desk, json!({"subject": "inside", "attachments": [file]})).await.ok();
    let outside = agent.post(&agent.inbox("/drafts"), json!({"subject": "outside"})).await.ok();
    assert_eq!(text_fields(&agent.get(&path("")).await.ok(), "drafts", "subject"), ["inside"]);
    let id = |draft: &serde_json::Value| format!("/{}", draft["draft_id"].as_str().unwrap());
    assert_eq!(agent.get(&path(&id(&inside))).await.ok(), inside);
    let attachment = inside["attachments"][0]["attachment_id"].as_str().unwrap();
    let bytes = HttpRequest::new("GET", &path(&format!("{}/attachments/{attachment}", id(&inside))));
    assert_eq!(agent.call(bytes.header("Accept", "application/octet-stream")).await.text(), "a file");
    // The draft of another pod is omitted, although the key may read it.
    agent.get(&path(&id(&outside))).await.require_error(404, "not_found");
    agent.get("/v0/pods/pod_00000000000000000000000000000000/drafts").await.require_error(404, "not_found");
    let key = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({})).await;
    assert_eq!(text_fields(&key.get("/v0/drafts").await.ok(), "drafts", "subject"), ["inside"]);
    key.get(&format!("/v0/drafts{}", id(&outside))).await.require_error(404, "not_found");
}
