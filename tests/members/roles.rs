//! Rights of each role.

use inboxd_testkit::{HttpClient, HttpRequest, redacted};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::people::{invite_and_join, member_path, sign_in_client};
use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn member_reads_replies_to_and_labels_mail() {
    let (server, agent) = server_and_agent().await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let message = agent.message_about("hello").await;
    let path = |rest: &str| agent.message(&message["message_id"], rest);
    maria.get("/v0/inboxes").await.ok();
    maria.get("/v0/events").await.ok();
    maria.get("/v0/organizations").await.ok();
    maria.get(&path("")).await.ok();
    let sent = maria.post(&path("/reply"), json!({"text": "noon"})).await.ok();
    maria.post(&agent.inbox("/messages/send"), json!({"to": "bob@outside.example", "text": "hi"})).await.ok();
    maria.post(&path("/forward"), json!({"to": "bob@outside.example"})).await.ok();
    maria.patch(&path(""), json!({"add_labels": ["done"], "remove_labels": ["unread"]})).await.ok();
    // Her messages name her as the sender.
    let reply = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    let me = maria.get("/v0/auth/me").await.ok();
    assert_eq!(
        reply["sent_by"],
        json!({"type": "member", "member_id": me["member_id"], "name": "maria", "email": "maria@example.org"})
    );
    // Threads are assigned to her as a person, by herself and by others.
    let thread = maria.patch(&agent.thread(&message["thread_id"], ""), json!({"assignee_id": "me"})).await.ok();
    assert_eq!(thread["assignee"], reply["sent_by"]);
    let assigned = json!({"assignee_id": me["member_id"]});
    assert_eq!(
        agent.patch(&agent.thread(&message["thread_id"], ""), assigned).await.ok()["assignee"],
        reply["sent_by"]
    );
    let mine = maria.get(&agent.inbox("/threads?assignee=me")).await.ok();
    assert_eq!(mine["count"], 1);
}

/// Calls that change keys, domains, inboxes and people, and deletions of mail.
async fn changes(agent: &inboxd_testkit::Persona, other: &str) -> Vec<(&'static str, String, Value)> {
    let message = agent.message_about("hello").await;
    let key = agent.post("/v0/api-keys", json!({"name": "victim"})).await.ok();
    let key = key["api_key_id"].as_str().unwrap();
    let domain = agent.post("/v0/domains", json!({"domain": "example.com"})).await.ok();
    let domain = format!("/v0/domains/{}", domain["domain_id"].as_str().unwrap());
    vec![
        ("POST", "/v0/api-keys".to_owned(), json!({"name": "mine"})),
        ("POST", agent.inbox("/api-keys"), json!({"name": "mine"})),
        ("DELETE", format!("/v0/api-keys/{key}"), json!({})),
        ("POST", "/v0/domains".to_owned(), json!({"domain": "mine.example"})),
        ("PATCH", domain.clone(), json!({"feedback_enabled": false})),
        ("POST", format!("{domain}/verify"), json!({})),
        ("DELETE", domain, json!({})),
        ("POST", "/v0/inboxes".to_owned(), json!({"username": "mine"})),
        ("PATCH", agent.inbox(""), json!({"display_name": "Mine"})),
        ("DELETE", agent.inbox(""), json!({})),
        ("POST", "/v0/members".to_owned(), json!({"email": "x@example.org", "role": "member"})),
        ("PATCH", other.to_owned(), json!({"role": "member"})),
        ("DELETE", other.to_owned(), json!({})),
        ("DELETE", agent.message(&message["message_id"], ""), json!({})),
        ("DELETE", agent.thread(&message["thread_id"], ""), json!({})),
    ]
}

async fn call(caller: &HttpClient, method: &str, path: &str, body: &Value) -> inboxd_testkit::ApiResponse {
    let request = HttpRequest::new(method, path);
    caller.call(if method == "DELETE" { request } else { request.json(body) }).await
}

#[tokio::test]
async fn member_cannot_change_keys_domains_inboxes_or_people() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let other = member_path(&agent, "admin@example.org").await;
    for (method, path, body) in changes(&agent, &other).await {
        let envelope = call(&maria, method, &path, &body).await.require_error(403, "role_not_allowed");
        let fix = envelope["fix"].as_str().unwrap();
        assert!(fix.contains("owner@example.org") && fix.contains("admin"), "{method} {path}: {fix}");
    }
    // She may read these resources.
    assert_eq!(maria.get("/v0/domains").await.ok()["count"], 1);
    // She cannot change herself either: role, inboxes and name belong to the organization.
    let own = member_path(&agent, "maria@example.org").await;
    maria.patch(&own, json!({"role": "admin"})).await.require_error(403, "role_not_allowed");
    // But she can sign out, and ends no other sign-in of hers with it.
    let elsewhere = sign_in_client(&server, "maria@example.org").await;
    let key = async |client: &HttpClient| {
        let identity = client.get("/v0/auth/me").await.ok();
        format!("/v0/api-keys/{}", identity["api_key_id"].as_str().unwrap())
    };
    maria.delete(&key(&elsewhere).await).await.require_error(403, "role_not_allowed");
    maria.delete(&key(&maria).await).await.require_no_content();
    maria.get("/v0/domains").await.require_error(401, "unknown_api_key");
    elsewhere.get("/v0/domains").await.ok();
}

#[tokio::test]
async fn owners_and_admins_have_all_rights() {
    let (server, agent) = server_and_agent().await;
    invite_and_join(&server, &agent, "other@example.org", "member", json!([])).await;
    let other = member_path(&agent, "other@example.org").await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    for (number, caller) in [owner, admin].into_iter().enumerate() {
        caller.post("/v0/api-keys", json!({"name": "mine"})).await.ok();
        caller.post("/v0/inboxes", json!({"username": format!("mine{number}")})).await.ok();
        caller.patch(&other, json!({"name": format!("Other {number}")})).await.ok();
        caller.delete(&format!("/v0/inboxes/mine{number}@inboxd.localhost")).await.require_no_content();
        caller.post("/v0/members", json!({"email": format!("m{number}@example.org"), "role": "admin"})).await.ok();
        caller.delete(&member_path(&agent, &format!("m{number}@example.org")).await).await.require_no_content();
    }
}

#[tokio::test]
async fn key_created_by_admin_acts_for_organization() {
    let (server, agent) = server_and_agent().await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let made = admin.post("/v0/api-keys", json!({"name": "worker"})).await.ok();
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    let me = key.get("/v0/auth/me").await.ok();
    assert!(me.get("member_id").is_none() && me.get("role").is_none(), "{me:#}");
    agent.delete(&member_path(&agent, "admin@example.org").await).await.require_no_content();
    key.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn identity_of_member_shows_role_and_permissions() {
    let (server, agent) = server_and_agent().await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let me = maria.get("/v0/auth/me").await.ok();
    assert_snapshot!(redacted(&me), @r#"
    {
      "api_key_id": "[key_…]",
      "email": "maria@example.org",
      "member_id": "[mem_…]",
      "organization_id": "[org_…]",
      "organizations": [
        {
          "organization_id": "[org_…]",
          "role": "member"
        }
      ],
      "permissions": {
        "api_key_read": true,
        "domain_read": true,
        "draft_approve": true,
        "draft_create": true,
        "draft_delete": true,
        "draft_read": true,
        "draft_send": true,
        "draft_update": true,
        "event_read": true,
        "file_create": true,
        "file_delete": true,
        "file_read": true,
        "inbox_read": true,
        "label_blocked_read": true,
        "label_held_read": true,
        "label_spam_read": true,
        "label_trash_read": true,
        "label_unauthenticated_read": true,
        "list_entry_read": true,
        "member_read": true,
        "message_read": true,
        "message_send": true,
        "message_update": true,
        "metrics_read": true,
        "organization_read": true,
        "pod_read": true,
        "policy_read": true,
        "webhook_read": true
      },
      "role": "member",
      "scope_id": "[org_…]",
      "scope_type": "organization"
    }
    "#);
    let owner = sign_in_client(&server, "owner@example.org").await.get("/v0/auth/me").await.ok();
    assert_eq!((owner["role"].as_str(), owner.get("permissions")), (Some("owner"), None));
}
