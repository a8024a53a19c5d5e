//! `/v0/connections`.

use serde_json::{Value, json};

use super::flow::{Client, connect, require_oauth_error};
use crate::people::{invite_and_join, sign_in_client};
use crate::support::{server_and_agent, text_fields};

const OWNER: &str = "owner@example.org";

#[tokio::test]
async fn connection_shows_client_and_access() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    client.connect(&server, OWNER, &[], &[("access", "draft")]).await;
    let list = agent.get("/v0/connections").await.ok();
    let connection = &list["connections"][0];
    assert_eq!(connection["client_id"], client.client_id);
    assert_eq!((&connection["client_name"], &connection["redirect_host"]), (&json!("Example"), &json!("app.example")));
    assert_eq!(connection["scope"], "mail:read mail:draft");
    assert_eq!((&connection["permissions"]["draft_create"], &connection["inbox_ids"]), (&json!(true), &json!([])));
    let id = connection["connection_id"].as_str().unwrap();
    assert!(id.starts_with("con_") && connection["used_at"].is_string(), "{connection:#}");
    assert_eq!(agent.get(&format!("/v0/connections/{id}")).await.ok(), *connection);
}

#[tokio::test]
async fn revoked_connection_is_dead_at_once() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let connected = client.connect(&server, OWNER, &[], &[]).await;
    connected.http.get("/v0/inboxes").await.ok();
    let id = agent.get("/v0/connections").await.ok()["connections"][0]["connection_id"].as_str().unwrap().to_owned();
    let path = format!("/v0/connections/{id}");
    agent.delete(&path).await.require_no_content();
    connected.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    require_oauth_error(&client.refresh(&connected.refresh_token, &[]).await, 400, "invalid_grant");
    agent.delete(&path).await.require_error(404, "not_found");
    agent.get(&path).await.require_error(404, "not_found");
    agent.patch(&path, json!({"scope": "mail:read"})).await.require_error(404, "not_found");
}

#[tokio::test]
async fn people_see_their_own_and_admins_all() {
    let (server, agent) = server_and_agent().await;
    let tim = invite_and_join(&server, &agent, "tim@example.org", "member", json!([])).await;
    let ada = invite_and_join(&server, &agent, "ada@example.org", "admin", json!([])).await;
    for email in [OWNER, "tim@example.org", "ada@example.org"] {
        connect(&server, email).await;
    }
    let own = tim.get("/v0/connections").await.ok();
    assert_eq!(own["count"], 1);
    for caller in [&ada, &sign_in_client(&server, OWNER).await, &*agent] {
        assert_eq!(caller.get("/v0/connections").await.ok()["count"], 3);
    }
    let all = agent.get("/v0/connections").await.ok();
    let own_id = own["connections"][0]["connection_id"].as_str().unwrap();
    for id in text_fields(&all, "connections", "connection_id").into_iter().filter(|id| *id != own_id) {
        let path = format!("/v0/connections/{id}");
        tim.get(&path).await.require_error(404, "not_found");
        tim.delete(&path).await.require_error(404, "not_found");
        tim.patch(&path, json!({"scope": "mail:read"})).await.require_error(404, "not_found");
    }
    // A member may end their own, though the role deletes no keys.
    tim.delete(&format!("/v0/connections/{own_id}")).await.require_no_content();
    ada.delete(&format!("/v0/connections/{}", text_fields(&all, "connections", "connection_id")[2]))
        .await
        .require_no_content();
    let stranger = server.verified("stranger@example.org", "stranger").await;
    assert_eq!(stranger.get("/v0/connections").await.ok()["count"], 0);
}

#[tokio::test]
async fn person_narrows_and_widens_their_connection() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    let connected = connect(&server, OWNER).await;
    let owner = sign_in_client(&server, OWNER).await;
    let id = owner.get("/v0/connections").await.ok()["connections"][0]["connection_id"].as_str().unwrap().to_owned();
    let path = format!("/v0/connections/{id}");
    let send = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    let narrowed = json!({"scope": "mail:read", "inbox_ids": [agent.inbox_id]});
    assert_eq!(agent.patch(&path, narrowed).await.ok()["scope"], "mail:read");
    // The next request of the same token has the new bounds.
    connected.http.post(&agent.inbox("/messages/send"), send.clone()).await.require_error(403, "missing_permission");
    connected.http.get("/v0/inboxes/other@inboxd.localhost").await.require_error(403, "inbox_out_of_scope");
    // A key of the organization, and the client itself, widen nothing.
    agent.patch(&path, json!({"scope": "mail:read mail:send"})).await.require_error(403, "role_not_allowed");
    let own = connected.http.patch(&path, json!({"scope": "mail:read mail:send"})).await;
    assert_eq!(own.status, 403, "{}", own.text());
    let wide = owner.patch(&path, json!({"scope": "mail:read mail:send", "inbox_ids": null})).await.ok();
    assert_eq!((&wide["scope"], &wide["inbox_ids"]), (&json!("mail:read mail:send"), &json!([])));
    connected.http.post(&agent.inbox("/messages/send"), send).await.ok();
    for (body, field) in [
        (json!({"scope": ""}), "scope"),
        (json!({"scope": "offline_access"}), "scope"),
        (json!({"scope": "everything"}), "scope"),
        (json!({"expires_at": "2020-01-01T00:00:00Z"}), "expires_at"),
        (json!({"expires_at": "2120-01-01T00:00:00Z"}), "expires_at"),
    ] {
        assert_eq!(owner.patch(&path, body).await.bad_fields(), [field]);
    }
}

#[tokio::test]
async fn connection_makes_nothing_that_outlives_it() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let connected = client.connect(&server, OWNER, &[("scope", "admin mail:read")], &[]).await;
    let body = json!({"organization_id": agent.organization_id});
    connected.http.post("/v0/auth/switch", body).await.require_error(403, "role_not_allowed");
    let member = json!({"email": "mallory@evil.example", "role": "admin"});
    let webhook = json!({"url": "https://evil.example/hook", "event_types": ["message.received"]});
    let key = agent.post("/v0/api-keys", json!({"name": "before"})).await.ok();
    let there = agent.post("/v0/members", json!({"email": "tim@example.org", "role": "member"})).await.ok();
    let hook = agent.post("/v0/webhooks", json!({"url": "https://8.8.8.8/hook"})).await.ok();
    let connection_id = agent.get("/v0/connections").await.ok()["connections"][0]["connection_id"].clone();
    let one = |list: &str, id: &Value| format!("/v0/{list}/{}", id.as_str().unwrap());
    let (key, there) = (one("api-keys", &key["api_key_id"]), one("members", &there["member_id"]));
    let (hook, own) = (one("webhooks", &hook["webhook_id"]), one("connections", &connection_id));
    let owner = agent.get("/v0/members").await.ok();
    let owner = owner["members"].as_array().unwrap().iter().find(|member| member["email"] == OWNER).unwrap().clone();
    let themselves = one("members", &owner["member_id"]);
    for (method, path, body) in [
        ("POST", "/v0/api-keys", Some(json!({"name": "kept"}))),
        ("POST", &agent.inbox("/api-keys"), Some(json!({"name": "kept"}))),
        ("PATCH", &key, Some(json!({"name": "changed"}))),
        ("DELETE", &key, None),
        ("POST", "/v0/members", Some(member)),
        ("PATCH", &there, Some(json!({"role": "admin"}))),
        ("DELETE", &there, None),
        ("DELETE", &themselves, None),
        ("POST", "/v0/webhooks", Some(webhook)),
        ("PATCH", &hook, Some(json!({"event_types": ["message.sent"]}))),
        ("DELETE", &hook, None),
        ("PATCH", &own, Some(json!({"scope": "mail:read"}))),
        ("DELETE", &own, None),
    ] {
        let refused = match body {
            Some(body) if method == "PATCH" => connected.http.patch(path, body).await,
            Some(body) => connected.http.post(path, body).await,
            None => connected.http.delete(path).await,
        };
        let envelope = refused.require_error(403, "missing_permission");
        // No wider token helps, so the client is not sent for one; the person is.
        assert_eq!(refused.header("WWW-Authenticate"), None, "{method} {path}");
        assert!(envelope["fix"].as_str().unwrap().contains("as the person: sign in"), "{method} {path} {envelope:#}");
    }
    for path in [&key, &there, &hook, &own] {
        agent.get(path).await.ok();
    }
}

#[tokio::test]
async fn action_of_client_names_its_connection() {
    let (server, agent) = server_and_agent().await;
    let connected = connect(&server, OWNER).await;
    let draft = connected.http.post(&agent.inbox("/drafts"), json!({"subject": "x"})).await.ok();
    let id = agent.get("/v0/connections").await.ok()["connections"][0]["connection_id"].clone();
    let draft = agent.get(&agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()))).await.ok();
    assert_eq!(draft["created_by"]["connection_id"], id, "{draft:#}");
}
