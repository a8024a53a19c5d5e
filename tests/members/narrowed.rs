//! Keys of people with a permission map, which need both the role and the map.

use inboxd_testkit::{HttpClient, Persona, TestServer};
use serde_json::{Value, json};

use crate::people::{invite, member_path, sign_in};
use crate::support::{mail_to, receive, server, server_and_agent};

/// Maria, a member whose key has this map.
async fn narrowed_member(server: &TestServer, agent: &Persona, permissions: Value) -> HttpClient {
    let key = sign_in(server, "maria@example.org", None).await;
    let path = format!("/v0/api-keys/{}", key["api_key_id"].as_str().unwrap());
    agent.patch(&path, json!({"permissions": permissions})).await.ok();
    server.http().with_key(key["api_key"].as_str().unwrap())
}

#[tokio::test]
async fn identity_shows_intersection_of_role_and_map() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "member", json!([])).await;
    let map = json!({"message_read": true, "message_send": false, "api_key_create": true});
    let maria = narrowed_member(&server, &agent, map).await;
    let me = maria.get("/v0/auth/me").await.ok();
    assert_eq!((&me["role"], &me["permissions"]), (&json!("member"), &json!({"message_read": true})));
    maria.get(&agent.inbox("/messages")).await.ok();
    let body = json!({"to": "bob@outside.example", "text": "hi"});
    maria.post(&agent.inbox("/messages/send"), body).await.require_error(403, "missing_permission");
    maria.post("/v0/api-keys", json!({"name": "x"})).await.require_error(403, "role_not_allowed");
}

#[tokio::test]
async fn narrowed_key_cannot_remove_its_member() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "member", json!([])).await;
    let own = member_path(&agent, "maria@example.org").await;
    let maria = narrowed_member(&server, &agent, json!({"message_read": true})).await;
    let envelope = maria.delete(&own).await.require_error(403, "missing_permission");
    assert!(envelope["fix"].as_str().unwrap().contains("member_delete"), "{envelope:#}");
    agent.get(&own).await.ok();
    let granted = narrowed_member(&server, &agent, json!({"member_delete": true})).await;
    granted.delete(&own).await.require_no_content();
    maria.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn switch_does_not_broaden_narrowed_key() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    for agent in [&one, &two] {
        invite(agent, "maria@example.org", "admin", json!([])).await;
    }
    let key = sign_in(&server, "maria@example.org", Some(&one.organization_id)).await;
    let path = format!("/v0/api-keys/{}", key["api_key_id"].as_str().unwrap());
    one.patch(&path, json!({"permissions": {"message_read": true}})).await.ok();
    let maria = server.http().with_key(key["api_key"].as_str().unwrap());
    let there = maria.post("/v0/auth/switch", json!({"organization_id": two.organization_id})).await.ok();
    let there = server.http().with_key(there["api_key"].as_str().unwrap());
    let me = there.get("/v0/auth/me").await.ok();
    assert_eq!((&me["organization_id"], &me["role"]), (&json!(two.organization_id), &json!("admin")));
    assert_eq!(me["permissions"], json!({"message_read": true}));
    there.get(&two.inbox("/messages")).await.ok();
    let body = json!({"to": "bob@outside.example", "text": "hi"});
    there.post(&two.inbox("/messages/send"), body).await.require_error(403, "missing_permission");
    there.post("/v0/api-keys", json!({"name": "x"})).await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn narrowed_key_cannot_schedule_forward_of_unreadable_mail() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "Secret").id("<secret@outside.example>")).await;
    invite(&agent, "maria@example.org", "member", json!([])).await;
    let forward = json!({"to": "bob@outside.example", "forward_of": "<secret@outside.example>"});
    let draft = agent.post(&agent.inbox("/drafts"), forward).await.ok();
    let path = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    let maria = narrowed_member(&server, &agent, json!({"draft_update": true, "draft_send": true})).await;
    let change = json!({"to": "mallory@outside.example", "send_at": "2100-01-01T00:00:00Z"});
    let envelope = maria.patch(&path, change.clone()).await.require_error(403, "missing_permission");
    assert!(envelope["fix"].as_str().unwrap().contains("message_read"), "{envelope:#}");
    assert_eq!(agent.get(&path).await.ok(), draft);
    maria.post(&format!("{path}/send"), json!({})).await.require_error(403, "missing_permission");
    // It cannot redirect scheduled drafts of other authors either.
    let scheduled = agent.patch(&path, json!({"send_at": "2100-01-01T00:00:00Z"})).await.ok();
    let elsewhere = json!({"to": "mallory@outside.example"});
    maria.patch(&path, elsewhere).await.require_error(403, "missing_permission");
    assert_eq!(agent.get(&path).await.ok(), scheduled);
    let map = json!({"draft_update": true, "draft_send": true, "message_read": true});
    let reader = narrowed_member(&server, &agent, map).await;
    assert_eq!(reader.patch(&path, change).await.ok()["to"], json!(["mallory@outside.example"]));
}
