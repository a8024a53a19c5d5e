//! `PATCH /v0/members/{member_id}`.

use serde_json::{Value, json};

use crate::people::{invite_and_join, member_path, sign_in_client};
use crate::support::server_and_agent;

#[tokio::test]
async fn only_sent_fields_change() {
    let (server, agent) = server_and_agent().await;
    invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let path = member_path(&agent, "maria@example.org").await;
    let fields = |member: &Value| json!([member["name"], member["role"], member["inbox_ids"]]);
    for (change, expected) in [
        (json!({}), json!(["maria", "member", [agent.inbox_id]])),
        (json!({"name": "Maria"}), json!(["Maria", "member", [agent.inbox_id]])),
        (json!({"role": "admin"}), json!(["Maria", "admin", [agent.inbox_id]])),
        (json!({"role": null, "name": null}), json!(["Maria", "admin", [agent.inbox_id]])),
        (json!({"inbox_ids": []}), json!(["Maria", "admin", []])),
        (json!({"inbox_ids": agent.inbox_id, "role": "member"}), json!(["Maria", "member", [agent.inbox_id]])),
        (json!({"inbox_ids": null}), json!(["Maria", "member", []])),
    ] {
        assert_eq!(fields(&agent.patch(&path, change.clone()).await.ok()), expected, "{change}");
        assert_eq!(fields(&agent.get(&path).await.ok()), expected, "{change}");
    }
}

#[tokio::test]
async fn role_and_inbox_access_apply_to_next_request() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "ranger"})).await.ok();
    let maria = invite_and_join(&server, &agent, "maria@example.org", "admin", json!([])).await;
    let path = member_path(&agent, "maria@example.org").await;
    maria.post("/v0/api-keys", json!({"name": "x"})).await.ok();
    agent.patch(&path, json!({"role": "member"})).await.ok();
    maria.post("/v0/api-keys", json!({"name": "x"})).await.require_error(403, "role_not_allowed");
    maria.get(&agent.inbox("/messages")).await.ok();
    agent.patch(&path, json!({"inbox_ids": ["ranger@inboxd.localhost"]})).await.ok();
    maria.get(&agent.inbox("/messages")).await.require_error(403, "inbox_out_of_scope");
    agent.patch(&path, json!({"inbox_ids": []})).await.ok();
    maria.get(&agent.inbox("/messages")).await.ok();
}

#[tokio::test]
async fn owner_cannot_be_demoted() {
    let (server, agent) = server_and_agent().await;
    let path = member_path(&agent, "owner@example.org").await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    for caller in [&*agent, &owner] {
        caller.patch(&path, json!({"role": "admin"})).await.require_error(403, "owner_protected");
    }
    assert_eq!(agent.patch(&path, json!({"name": "The Boss"})).await.ok()["name"], "The Boss");
    assert_eq!(agent.patch(&path, json!({"role": "owner"})).await.bad_fields(), ["role"], "one owner remains");
}
