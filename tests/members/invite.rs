//! `POST /v0/members`, and how an invitation becomes a membership.

use inboxd_testkit::{Relay, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{invited, joined, path_of, person};
use crate::support::{at_once, count, each, options, server, server_and_agent};

#[tokio::test]
async fn an_invitation_is_answered_as_an_invited_member() {
    let (_server, agent) = server_and_agent().await;
    let member = invited(&agent, "Maria@example.org", "member", json!([agent.inbox_id.to_uppercase()])).await;
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
async fn it_emails_the_invitee_and_holds_no_link() {
    let relay = Relay::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    invited(&agent, "maria@example.org", "admin", json!([])).await;
    let mail = relay.mail_about("You are invited").await;
    assert_eq!(mail.to, ["maria@example.org"]);
    assert!(mail.text().contains("owner@example.org") && mail.text().contains("admin"), "{}", mail.text());
    assert!(!mail.text().contains("://"), "{}", mail.text());
}

#[tokio::test]
async fn a_member_is_invited_until_the_person_signs_in_then_active() {
    let (server, agent) = server_and_agent().await;
    invited(&agent, "maria@example.org", "member", json!([])).await;
    let statuses = async || {
        let members = agent.get("/v0/members?ascending=true").await.ok();
        each(&members, "members", "status").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(statuses().await, ["active", "invited"]);
    let maria = person(&server, "MARIA@example.org").await;
    assert_eq!(statuses().await, ["active", "active"]);
    assert_eq!(maria.get("/v0/auth/me").await.ok()["organization_id"], agent.organization_id);
}

#[tokio::test]
async fn only_once_the_owner_email_is_confirmed() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let body = json!({"email": "maria@example.org", "role": "member"});
    let envelope = agent.post("/v0/members", body.clone()).await.refused(403, "organization_unverified");
    assert!(envelope["fix"].as_str().unwrap().contains("POST /v0/agent/verify"), "{envelope:#}");
    agent.verify().await;
    agent.post("/v0/members", body).await.ok();
}

#[tokio::test]
async fn owners_and_admins_and_keys_of_the_organization_invite() {
    let (server, agent) = server_and_agent().await;
    let owner = person(&server, "owner@example.org").await;
    let admin = joined(&server, &agent, "admin@example.org", "admin", json!([])).await;
    for (number, caller) in [&owner, &admin, &*agent].into_iter().enumerate() {
        let body = json!({"email": format!("m{number}@example.org"), "role": "admin"});
        caller.post("/v0/members", body).await.ok();
    }
    let unable = agent.key_with("/v0/api-keys", json!({"permissions": {"member_read": true}})).await;
    let body = json!({"email": "x@example.org", "role": "member"});
    unable.post("/v0/members", body.clone()).await.refused(403, "missing_permission");
    let pinned = agent.key_with(&agent.inbox("/api-keys"), json!({})).await;
    pinned.post("/v0/members", body).await.refused(403, "missing_permission");
}

#[tokio::test]
async fn nobody_gives_a_role_that_allows_more_than_they_hold() {
    let (server, agent) = server_and_agent().await;
    let inviting = agent.key_with("/v0/api-keys", json!({"permissions": {"member_create": true}})).await;
    for role in ["admin", "member"] {
        let body = json!({"email": "x@example.org", "role": role});
        let envelope = inviting.post("/v0/members", body).await.refused(403, "permission_escalation");
        assert!(envelope["fix"].as_str().unwrap().contains(role), "{envelope:#}");
    }
    // A key that holds all that a member may do makes members, and no administrators.
    let maria = joined(&server, &agent, "maria@example.org", "member", json!([])).await;
    let mut permissions = maria.get("/v0/auth/me").await.ok()["permissions"].clone();
    permissions["member_create"] = json!(true);
    permissions["member_update"] = json!(true);
    let whole = agent.key_with("/v0/api-keys", json!({"permissions": permissions})).await;
    let body = json!({"email": "max@example.org", "role": "admin"});
    whole.post("/v0/members", body).await.refused(403, "permission_escalation");
    whole.post("/v0/members", json!({"email": "max@example.org", "role": "member"})).await.ok();
    let max = path_of(&agent, "max@example.org").await;
    whole.patch(&max, json!({"role": "admin"})).await.refused(403, "permission_escalation");
    whole.patch(&max, json!({"inbox_ids": [agent.inbox_id]})).await.ok();
    agent.patch(&max, json!({"role": "admin"})).await.ok();
    whole.patch(&max, json!({"inbox_ids": []})).await.refused(403, "permission_escalation");
    whole.patch(&max, json!({"name": "Max"})).await.ok();
}

#[tokio::test]
async fn an_email_that_is_already_a_member_is_refused() {
    let (_server, agent) = server_and_agent().await;
    invited(&agent, "maria@example.org", "member", json!([])).await;
    for email in ["Maria@Example.org", "owner@example.org"] {
        let answer = agent.post("/v0/members", json!({"email": email, "role": "admin"})).await;
        answer.refused(409, "already_exists");
    }
}

#[tokio::test]
async fn every_bad_field_is_named() {
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
async fn inboxes_of_another_organization_are_none_of_this_one() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "ranger").await;
    let body = json!({"email": "maria@example.org", "role": "member", "inbox_ids": [other.inbox_id]});
    assert_eq!(agent.post("/v0/members", body).await.bad_fields(), ["inbox_ids[0]"]);
}

#[tokio::test]
async fn the_same_client_id_again_returns_the_original_and_mails_nobody_again() {
    let (_server, agent) = server_and_agent().await;
    let answers = at_once((0..10).map(|_| {
        let agent = agent.clone();
        let body = json!({"email": "maria@example.org", "role": "member", "client_id": "maria"});
        async move { agent.post("/v0/members", body).await }
    }))
    .await;
    assert_eq!(count(&answers, 200), 10);
    let ids: std::collections::BTreeSet<String> =
        answers.iter().map(|answer| answer.json()["member_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1);
    agent.delete(&format!("/v0/members/{}", ids.first().unwrap())).await.gone();
    let body = json!({"email": "maria@example.org", "role": "member", "client_id": "maria"});
    agent.post("/v0/members", body).await.refused(409, "conflict");
}
