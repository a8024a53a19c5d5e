//! Content of entries: author, client address, facts before and after.

use serde_json::{Value, json};

use super::{entries, fields};
use crate::people::{invite_and_join, member_path, sign_in_client};
use crate::support::{server, server_and_agent};

#[tokio::test]
async fn entry_names_author_client_and_facts() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "reader", "permissions": {"inbox_read": true}})).await.ok();
    let id = made["api_key_id"].as_str().unwrap();
    agent.patch(&format!("/v0/api-keys/{id}"), json!({"name": "renamed"})).await.ok();
    agent.delete(&format!("/v0/api-keys/{id}")).await.require_no_content();
    let found = entries(&agent, &format!("resource_id={id}")).await;
    assert_eq!(fields(&found, "action"), ["api_key.deleted", "api_key.updated", "api_key.created"]);
    let [deleted, updated, created] = found.try_into().unwrap();
    assert_eq!((&updated["before"], &updated["after"]), (&json!({"name": "reader"}), &json!({"name": "renamed"})));
    assert_eq!(created["after"]["permissions"], json!({"inbox_read": true}));
    assert_eq!(deleted["before"]["name"], "renamed");
    assert!(created.get("before").is_none() && deleted.get("after").is_none());
    assert_eq!((&created["client_address"], &created["actor"]["type"]), (&json!("127.0.0.1"), &json!("api_key")));
    assert!(!serde_json::to_string(&created).unwrap().contains(made["api_key"].as_str().unwrap()));
}

#[tokio::test]
async fn people_operators_and_sign_ins_are_authors() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    assert_eq!(fields(&entries(&agent, "").await, "action"), ["organization.created"]);
    agent.verify().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "admin", json!([])).await;
    let path = member_path(&agent, "maria@example.org").await;
    owner.patch(&path, json!({"role": "member"})).await.ok();
    maria.get("/v0/audit").await.require_error(403, "role_not_allowed");
    let changed = entries(&agent, "action=member.updated").await;
    assert_eq!(changed[0]["actor"]["email"], "owner@example.org");
    assert_eq!((&changed[0]["before"], &changed[0]["after"]), (&json!({"role": "admin"}), &json!({"role": "member"})));
    let signed_in = entries(&agent, "action=api_key.created").await;
    assert_eq!(signed_in[0]["actor"]["email"], "maria@example.org");
    assert_eq!(signed_in[0]["client_address"], "127.0.0.1");
    let plan = server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    assert!(plan.status.success(), "{plan:?}");
    let by_operator = entries(&agent, "actor_id=operator").await;
    assert_eq!(by_operator[0]["after"], json!({"plan": "startup"}));
    assert_eq!((&by_operator[0]["actor"], by_operator[0].get("client_address")), (&json!({"type": "operator"}), None));
}

#[tokio::test]
async fn refused_change_leaves_no_entry() {
    let (_server, agent) = server_and_agent().await;
    let before = entries(&agent, "").await;
    agent.post("/v0/lists/send/block", json!({"entry": "no entry"})).await.require_error(422, "validation_error");
    let gone = "/v0/api-keys/key_00000000000000000000000000000000";
    agent.delete(gone).await.require_error(404, "not_found");
    agent.post("/v0/lists/send/block", json!({"entry": "enemy.example"})).await.ok();
    agent.post("/v0/lists/send/block", json!({"entry": "enemy.example"})).await.require_error(409, "already_exists");
    assert_eq!(entries(&agent, "").await.len(), before.len() + 1);
}

#[tokio::test]
async fn audited_changes_of_one_key_are_bounded_and_deletions_are_not() {
    let server = crate::support::options().set("INBOXD_MAX_DAILY_CHANGES", "3").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut made: Vec<Value> = Vec::new();
    let refused = loop {
        let answer = agent.post("/v0/api-keys", json!({"name": "key"})).await;
        if answer.status != 200 {
            break answer;
        }
        made.push(answer.ok());
    };
    refused.require_error(429, "resource_limit_reached");
    assert!(!made.is_empty() && made.len() <= 3, "{}", made.len());
    let id = made[0]["api_key_id"].as_str().unwrap();
    agent.delete(&format!("/v0/api-keys/{id}")).await.require_no_content();
}
