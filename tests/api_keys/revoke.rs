//! `DELETE /v0/api-keys/{api_key_id}`.

use inboxd_testkit::eventually;
use serde_json::json;

use crate::people::{invite_and_join, member_path};
use crate::support::{server_and_agent, text_fields, uuid, worker_beside};

#[tokio::test]
async fn revoked_key_stops_immediately_and_leaves_list() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "lost"})).await.ok();
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get("/v0/inboxes").await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.delete(&path).await.require_no_content();
    key.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    assert!(!text_fields(&agent.get("/v0/api-keys").await.ok(), "api_keys", "name").contains(&"lost"));
    agent.get(&path).await.require_error(404, "not_found");
    agent.delete(&path).await.require_error(404, "not_found");
}

#[tokio::test]
async fn revoked_key_is_refused_in_every_process() {
    let (server, agent) = server_and_agent().await;
    let other = crate::support::second_process(&server).start().await;
    let made = agent.post("/v0/api-keys", json!({"name": "lost"})).await.ok();
    let key = other.http().with_key(made["api_key"].as_str().unwrap());
    key.get("/v0/inboxes").await.ok();
    agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
    key.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn key_can_revoke_itself() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "self"})).await.ok();
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
    key.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn deleting_an_inbox_revokes_its_keys() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let second = "/v0/inboxes/second@inboxd.localhost";
    let key = agent.create_key(&format!("{second}/api-keys"), json!({"name": "second"})).await;
    key.get(second).await.ok();
    agent.delete(second).await.require_no_content();
    key.get(second).await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn key_is_revoked_only_below_its_inbox() {
    let (_server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let made = agent.post(&agent.inbox("/api-keys"), json!({"name": "lost"})).await.ok();
    let rest = format!("/api-keys/{}", made["api_key_id"].as_str().unwrap());
    agent.delete(&format!("/v0/inboxes/second@inboxd.localhost{rest}")).await.require_error(404, "not_found");
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get(&agent.inbox("")).await.ok();
    agent.delete(&agent.inbox(&rest)).await.require_no_content();
    key.get(&agent.inbox("")).await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn revoked_key_remains_in_events() {
    let (server, agent) = server_and_agent().await;
    let made = async |path: &str| {
        let made = agent.post(path, json!({"name": "kept in the record"})).await.ok();
        uuid(&made["api_key_id"]).to_owned()
    };
    let deleted = agent.post("/v0/api-keys", json!({"name": "kept in the record"})).await.ok();
    agent.delete(&format!("/v0/api-keys/{}", deleted["api_key_id"].as_str().unwrap())).await.require_no_content();

    agent.post("/v0/inboxes", json!({"username": "second"})).await.ok();
    let of_inbox = made("/v0/inboxes/second@inboxd.localhost/api-keys").await;
    agent.delete("/v0/inboxes/second@inboxd.localhost").await.require_no_content();

    let pod = agent.post("/v0/pods", json!({})).await.ok();
    let pod = format!("/v0/pods/{}", pod["pod_id"].as_str().unwrap());
    let of_pod = made(&format!("{pod}/api-keys")).await;
    agent.delete(&pod).await.require_no_content();

    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let of_member = maria.get("/v0/auth/me").await.ok();
    agent.delete(&member_path(&agent, "maria@example.org").await).await.require_no_content();

    let holds = async |what: &str| {
        server.database().try_execute(&format!("DO $$ BEGIN ASSERT EXISTS ({what}); END $$")).await.is_ok()
    };
    let _worker = worker_beside(&server).await;
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
