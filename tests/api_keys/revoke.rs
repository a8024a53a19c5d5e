//! `DELETE /v0/api-keys/{api_key_id}`.

use inboxd_testkit::eventually;
use serde_json::json;

use crate::people::{joined, path_of};
use crate::support::{each, server_and_agent, uuid};

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
    let other = crate::support::beside(&server).start().await;
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

#[tokio::test]
async fn a_key_is_revoked_below_its_inbox_and_below_no_other() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let made = agent.post(&agent.inbox("/api-keys"), json!({"name": "lost"})).await.ok();
    let rest = format!("/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.delete(&format!("/v0/inboxes/second@inboxd.localhost{rest}")).await.refused(404, "not_found");
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get(&agent.inbox("")).await.ok();
    agent.delete(&agent.inbox(&rest)).await.gone();
    key.get(&agent.inbox("")).await.refused(401, "unknown_api_key");
}

#[tokio::test]
async fn a_revoked_key_remains_in_the_record() {
    let (server, agent) = server_and_agent().await;
    let made = async |path: &str| {
        let made = agent.post(path, json!({"name": "kept in the record"})).await.ok();
        uuid(&made["api_key_id"]).to_owned()
    };
    let deleted = agent.post("/v0/api-keys", json!({"name": "kept in the record"})).await.ok();
    agent.delete(&format!("/v0/api-keys/{}", deleted["api_key_id"].as_str().unwrap())).await.gone();

    agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let of_inbox = made("/v0/inboxes/second@inboxd.localhost/api-keys").await;
    agent.delete("/v0/inboxes/second@inboxd.localhost").await.gone();

    let pod = agent.post("/v0/pods", json!({})).await.ok();
    let pod = format!("/v0/pods/{}", pod["pod_id"].as_str().unwrap());
    let of_pod = made(&format!("{pod}/api-keys")).await;
    agent.delete(&pod).await.gone();

    let maria = joined(&server, &agent, "maria@example.org", "member", json!([])).await;
    let of_member = maria.get("/v0/auth/me").await.ok();
    agent.delete(&path_of(&agent, "maria@example.org").await).await.gone();

    let holds = async |what: &str| {
        server.database().try_execute(&format!("DO $$ BEGIN ASSERT EXISTS ({what}); END $$")).await.is_ok()
    };
    eventually("the deleted inbox is purged", async || {
        holds("SELECT FROM inboxes WHERE purged_at IS NOT NULL").await.then_some(())
    })
    .await;
    let keys = [
        ("deleted", uuid(&deleted["api_key_id"])),
        ("of an inbox that was deleted and purged", &of_inbox),
        ("of a pod that was deleted", &of_pod),
        ("of a member who was removed", uuid(&of_member["api_key_id"])),
    ];
    for (whose, id) in keys {
        let row = format!("SELECT FROM api_keys WHERE api_key_id = '{id}' AND revoked_at IS NOT NULL AND name <> ''");
        assert!(holds(&row).await, "{whose}");
        assert!(!agent.get("/v0/api-keys?limit=200").await.text().contains(id), "{whose} is listed");
    }
}
