//! `POST /v0/members`, and the acceptance of invitations.

use inboxd_testkit::{RelayServer, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{invite, invite_and_join, member_path, sign_in_client};
use crate::support::{count, options, run_concurrently, server, server_and_agent, text_fields};

#[tokio::test]
async fn invitation_returns_invited_member() {
    let (_server, agent) = server_and_agent().await;
    let member = invite(&agent, "Maria@example.org", "member", json!([agent.inbox_id.to_uppercase()])).await;
    assert_snapshot!(redacted(&member), @r#"
    {
      "created_at": "[time]",
      "email": "Maria@example.org",
      "inbox_ids": [
        "scout@signup.inboxd.localhost"
      ],
      "member_id": "[mem_…]",
      "name": "Maria",
      "role": "member",
      "status": "invited",
      "updated_at": "[time]"
    }
    "#);
}

#[tokio::test]
async fn invitation_mail_contains_no_link() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    invite(&agent, "maria@example.org", "admin", json!([])).await;
    let mail = relay.mail_about("You are invited").await;
    assert_eq!(mail.to, ["maria@example.org"]);
    assert!(mail.text().contains("owner@example.org") && mail.text().contains("admin"), "{}", mail.text());
    assert!(!mail.text().contains("://"), "{}", mail.text());
}

#[tokio::test]
async fn invited_member_becomes_active_at_sign_in() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "member", json!([])).await;
    let statuses = async || {
        let members = agent.get("/v0/members?ascending=true").await.ok();
        text_fields(&members, "members", "status").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(statuses().await, ["active", "invited"]);
    let maria = sign_in_client(&server, "MARIA@example.org").await;
    assert_eq!(statuses().await, ["active", "active"]);
    assert_eq!(maria.get("/v0/auth/me").await.ok()["organization_id"], agent.organization_id);
}

#[tokio::test]
async fn invitation_needs_verified_owner() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let body = json!({"email": "maria@example.org", "role": "member"});
    let envelope = agent.post("/v0/members", body.clone()).await.require_error(403, "organization_unverified");
    assert!(envelope["fix"].as_str().unwrap().contains("POST /v0/agent/verify"), "{envelope:#}");
    agent.verify().await;
    agent.post("/v0/members", body).await.ok();
}

#[tokio::test]
async fn owners_admins_and_organization_keys_may_invite() {
    let (server, agent) = server_and_agent().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    for (number, caller) in [&owner, &admin, &*agent].into_iter().enumerate() {
        let body = json!({"email": format!("m{number}@example.org"), "role": "admin"});
        caller.post("/v0/members", body).await.ok();
    }
    let unable = agent.create_key("/v0/api-keys", json!({"permissions": {"member_read": true}})).await;
    let body = json!({"email": "x@example.org", "role": "member"});
    unable.post("/v0/members", body.clone()).await.require_error(403, "missing_permission");
    let pinned = agent.create_key(&agent.inbox("/api-keys"), json!({})).await;
    pinned.post("/v0/members", body).await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn inviter_cannot_grant_more_than_own_rights() {
    let (server, agent) = server_and_agent().await;
    let inviting = agent.create_key("/v0/api-keys", json!({"permissions": {"member_create": true}})).await;
    for role in ["admin", "member"] {
        let body = json!({"email": "x@example.org", "role": role});
        let envelope = inviting.post("/v0/members", body).await.require_error(403, "permission_escalation");
        assert!(envelope["fix"].as_str().unwrap().contains(role), "{envelope:#}");
    }
    // A key with all rights of a member may invite members, but no administrators.
    let maria = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let mut permissions = maria.get("/v0/auth/me").await.ok()["permissions"].clone();
    permissions["member_create"] = json!(true);
    permissions["member_update"] = json!(true);
    // Only a person can grant it.
    permissions.as_object_mut().unwrap().remove("label_held_read");
    let whole = agent.create_key("/v0/api-keys", json!({"permissions": permissions})).await;
    let body = json!({"email": "max@example.org", "role": "admin"});
    whole.post("/v0/members", body).await.require_error(403, "permission_escalation");
    whole.post("/v0/members", json!({"email": "max@example.org", "role": "member"})).await.ok();
    let max = member_path(&agent, "max@example.org").await;
    whole.patch(&max, json!({"role": "admin"})).await.require_error(403, "permission_escalation");
    whole.patch(&max, json!({"inbox_ids": [agent.inbox_id]})).await.ok();
    agent.patch(&max, json!({"role": "admin"})).await.ok();
    whole.patch(&max, json!({"inbox_ids": []})).await.require_error(403, "permission_escalation");
    whole.patch(&max, json!({"name": "Max"})).await.ok();
}

#[tokio::test]
async fn email_of_existing_member_is_refused() {
    let (_server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "member", json!([])).await;
    for email in ["Maria@Example.org", "owner@example.org"] {
        let answer = agent.post("/v0/members", json!({"email": email, "role": "admin"})).await;
        answer.require_error(409, "already_exists");
    }
}

#[tokio::test]
async fn invalid_fields_are_all_named() {
    let (_server, agent) = server_and_agent().await;
    assert_eq!(agent.post("/v0/members", json!({})).await.bad_fields(), ["email", "role"]);
    for role in ["owner", "boss", ""] {
        let body = json!({"email": "maria@example.org", "role": role});
        assert_eq!(agent.post("/v0/members", body).await.bad_fields(), ["role"], "{role}");
    }
    for email in ["nobody", "scout@signup.inboxd.localhost"] {
        let body = json!({"email": email, "role": "member"});
        assert_eq!(agent.post("/v0/members", body).await.bad_fields(), ["email"], "{email}");
    }
    let inbox_ids = json!([agent.inbox_id, "nobody@inboxd.localhost"]);
    let body = json!({"email": "maria@example.org", "role": "member", "inbox_ids": inbox_ids});
    assert_eq!(agent.post("/v0/members", body).await.bad_fields(), ["inbox_ids[1]"]);
}

#[tokio::test]
async fn inboxes_of_other_organization_are_refused() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    let body = json!({"email": "maria@example.org", "role": "member", "inbox_ids": [other.inbox_id]});
    assert_eq!(agent.post("/v0/members", body).await.bad_fields(), ["inbox_ids[0]"]);
}

#[tokio::test]
async fn repeated_client_id_returns_original_without_mail() {
    let (_server, agent) = server_and_agent().await;
    let answers = run_concurrently((0..10).map(|_| {
        let agent = agent.clone();
        let body = json!({"email": "maria@example.org", "role": "member", "client_id": "maria"});
        async move { agent.post("/v0/members", body).await }
    }))
    .await;
    assert_eq!(count(&answers, 200), 10);
    let ids: std::collections::BTreeSet<String> =
        answers.iter().map(|answer| answer.json()["member_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1);
    agent.delete(&format!("/v0/members/{}", ids.first().unwrap())).await.require_no_content();
    let body = json!({"email": "maria@example.org", "role": "member", "client_id": "maria"});
    agent.post("/v0/members", body).await.require_error(409, "conflict");
}
