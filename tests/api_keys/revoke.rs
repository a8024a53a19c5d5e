//! `DELETE /v0/api-keys/{api_key_id}`.

use serde_json::json;

use crate::support::{each, server_and_agent};

#[tokio::test]
async fn a_revoked_key_stops_at_once_and_drops_out_of_the_list() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "lost"})).await.ok();
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get("/v0/inboxes").await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.delete(&path).await.gone();
    key.get("/v0/inboxes").await.refused(401, "unknown_api_key");
    assert!(!each(&agent.get("/v0/api-keys").await.ok(), "api_keys", "name").contains(&"lost"));
    agent.get(&path).await.refused(404, "not_found");
    agent.delete(&path).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_revoked_key_is_refused_in_every_process_of_the_database() {
    let (server, agent) = server_and_agent().await;
    let other = crate::support::options().set("INBOXD_DATABASE_URL", server.database().url()).start().await;
    let made = agent.post("/v0/api-keys", json!({"name": "lost"})).await.ok();
    let key = other.http().with_key(made["api_key"].as_str().unwrap());
    key.get("/v0/inboxes").await.ok();
    agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
    key.get("/v0/inboxes").await.refused(401, "unknown_api_key");
}

#[tokio::test]
async fn a_key_can_revoke_itself() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "self"})).await.ok();
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
    key.get("/v0/auth/me").await.refused(401, "unknown_api_key");
}

#[tokio::test]
async fn deleting_an_inbox_revokes_its_keys() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let second = "/v0/inboxes/second@inboxd.localhost";
    let key = agent.key_with(&format!("{second}/api-keys"), json!({"name": "second"})).await;
    key.get(second).await.ok();
    agent.delete(second).await.gone();
    key.get(second).await.refused(401, "unknown_api_key");
}
