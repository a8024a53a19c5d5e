//! `GET /v0/pods`, `GET` and `PATCH /v0/pods/{pod_id}`

use serde_json::json;

use crate::support::{read_pages, server_and_agent};

#[tokio::test]
async fn pods_are_listed_newest_first_and_in_both_directions() {
    let (server, agent) = server_and_agent().await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    for name in ["one", "two", "three"] {
        agent.post("/v0/pods", json!({"name": name})).await.ok();
    }
    let names = read_pages(&agent, "/v0/pods?limit=1", "pods", "name").await;
    assert_eq!(names, ["three", "two", "one", "Default"]);
    let names = read_pages(&agent, "/v0/pods?limit=3&ascending=true", "pods", "name").await;
    assert_eq!(names, ["Default", "one", "two", "three"]);
}

#[tokio::test]
async fn pod_update_renames_pod() {
    let (_server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({"name": "old"})).await.ok();
    let path = format!("/v0/pods/{}", pod["pod_id"].as_str().unwrap());
    assert_eq!(agent.patch(&path, json!({"name": "new"})).await.ok()["name"], "new");
    assert_eq!(agent.patch(&path, json!({})).await.ok()["name"], "new");
    assert_eq!(agent.patch(&path, json!({"name": ""})).await.bad_fields(), ["name"]);
    assert_eq!(agent.get(&path).await.ok()["name"], "new");
}
