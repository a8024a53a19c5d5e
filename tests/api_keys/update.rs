//! `PATCH /v0/api-keys/{api_key_id}`: name and permissions.

use serde_json::json;

use crate::support::server_and_agent;

#[tokio::test]
async fn name_and_permissions_change_immediately_and_the_rest_stays() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "old", "expires_at": "2100-01-01T00:00:00Z"})).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = agent.with_key(made["api_key"].as_str().unwrap());
    key.get(&agent.inbox("/messages")).await.ok();
    let changed = agent.patch(&path, json!({"name": "new", "permissions": {"inbox_read": true}})).await.ok();
    assert_eq!((&changed["name"], &changed["permissions"]), (&json!("new"), &json!({"inbox_read": true})));
    assert_eq!((&changed["prefix"], &changed["expires_at"]), (&made["prefix"], &made["expires_at"]));
    assert!(changed.get("api_key").is_none(), "the plaintext is shown once");
    key.get(&agent.inbox("")).await.ok();
    key.get(&agent.inbox("/messages")).await.require_error(403, "missing_permission");
    let unchanged = agent.patch(&path, json!({"permissions": null})).await.ok();
    assert_eq!(unchanged["permissions"], json!({"inbox_read": true}));
}

#[tokio::test]
async fn expires_at_cannot_be_extended() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post("/v0/api-keys", json!({"name": "key"})).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    assert_eq!(agent.patch(&path, json!({"expires_at": "2100-01-01T00:00:00Z"})).await.bad_fields(), ["expires_at"]);
    assert_eq!(
        agent.patch(&path, json!({"permissions": {"nonsense": true}})).await.bad_fields(),
        ["permissions.nonsense"]
    );
}

#[tokio::test]
async fn restricted_key_cannot_broaden_another_key() {
    let (_server, agent) = server_and_agent().await;
    let made = agent.post(&agent.inbox("/api-keys"), json!({"permissions": {"message_read": true}})).await.ok();
    let id = made["api_key_id"].as_str().unwrap();
    let permissions = json!({"api_key_create": true, "message_read": true});
    let key = agent.create_key("/v0/api-keys", json!({"permissions": permissions})).await;
    for path in [format!("/v0/api-keys/{id}"), agent.inbox(&format!("/api-keys/{id}"))] {
        let refused = key.patch(&path, json!({"permissions": {"message_send": true}})).await;
        refused.require_error(403, "permission_escalation");
        key.patch(&path, json!({"name": "renamed"})).await.ok();
        assert_eq!(agent.get(&path).await.ok()["name"], "renamed");
    }
    let reader = agent.create_key("/v0/api-keys", json!({"permissions": {"api_key_read": true}})).await;
    reader.patch(&format!("/v0/api-keys/{id}"), json!({"name": "x"})).await.require_error(403, "missing_permission");
}
