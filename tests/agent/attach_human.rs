//! `POST /v0/agent/human`, and sign-up without an owner address.

use inboxd_testkit::{HttpClient, MailBuilder, TestServer};
use serde_json::json;

use crate::people::sign_in_client;
use crate::support::{options, server};

/// Signs up without an owner address, and returns the key and the inbox.
async fn sign_up_alone(server: &TestServer, username: &str) -> (HttpClient, String) {
    let signed_up = server.http().post("/v0/agent/sign-up", json!({"username": username})).await.ok();
    let text = |name: &str| signed_up[name].as_str().unwrap().to_owned();
    (server.http().with_key(&text("api_key")), text("inbox_id"))
}

/// Creates an invitation as the operator.
async fn invitation_of(server: &TestServer) -> String {
    let output = server.command(&["admin", "invite", "--days", "2"]).await;
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn organization_without_owner_receives_and_sends_nothing_until_one_is_attached() {
    let server = server().await;
    let (agent, inbox) = sign_up_alone(&server, "scout").await;
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["verified"], organization.get("authentication_id")), (&json!(false), None));
    assert_eq!((&organization["inbox_limit"], &organization["webhook_limit"]), (&json!(1), &json!(0)));
    assert_eq!(agent.get("/v0/members").await.ok()["count"], 0);
    let mail = MailBuilder::new("alice@outside.example", &inbox, "hello", "text");
    assert_eq!(server.deliver("alice@outside.example", &[&inbox], mail.raw()).await.code, 250);
    let send = format!("/v0/inboxes/{inbox}/messages/send");
    let body = json!({"to": "owner@example.org", "text": "hello"});
    let refused = agent.post(&send, body.clone()).await.require_error(403, "organization_unverified");
    assert!(refused["fix"].as_str().unwrap().contains("POST /v0/agent/human"), "{refused:#}");
    agent.post("/v0/agent/verify", json!({"otp_code": "000000"})).await.require_error(409, "conflict");

    let attached = agent.post("/v0/agent/human", json!({"human_email": "owner@example.org"})).await.ok();
    assert_eq!(attached["human_email"], "owner@example.org");
    assert!(attached["instructions"].as_str().unwrap().contains("POST /v0/agent/verify"), "{attached:#}");
    agent.post(&send, body).await.ok();
    let stranger = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&send, stranger.clone()).await.require_error(403, "organization_unverified");
    let code = server.log().code_for("owner@example.org").await;
    agent.post("/v0/agent/verify", json!({"otp_code": code})).await.ok();
    agent.post(&send, stranger).await.ok();
    let again = json!({"human_email": "other@example.org"});
    agent.post("/v0/agent/human", again).await.require_error(409, "already_verified");
}

#[tokio::test]
async fn owner_address_is_replaced_twice_and_never_after_the_owner_signed_in() {
    let server = server().await;
    server.sign_up("taken@example.org", "taken").await;
    let (agent, _) = sign_up_alone(&server, "scout").await;
    let attach = async |email: &str| agent.post("/v0/agent/human", json!({"human_email": email})).await;
    attach("taken@example.org").await.require_error(409, "account_exists");
    assert_eq!(attach("scout@inboxd.localhost").await.bad_fields(), ["human_email"]);
    assert_eq!(attach("nonsense").await.bad_fields(), ["human_email"]);
    attach("one@example.org").await.ok();
    let repeated = attach("one@example.org").await.ok();
    assert!(repeated["instructions"].as_str().unwrap().contains("still works"), "{repeated:#}");
    attach("two@example.org").await.ok();
    let members = agent.get("/v0/members").await.ok();
    assert_eq!((&members["count"], &members["members"][0]["email"]), (&json!(1), &json!("two@example.org")));
    // The first address is free again.
    server.sign_up("one@example.org", "one").await;
    attach("three@example.org").await.ok();
    attach("four@example.org").await.require_error(409, "conflict");

    let (agent, _) = sign_up_alone(&server, "other").await;
    agent.post("/v0/agent/human", json!({"human_email": "person@example.org"})).await.ok();
    sign_in_client(&server, "person@example.org").await;
    let replace = json!({"human_email": "thief@example.org"});
    agent.post("/v0/agent/human", replace).await.require_error(403, "owner_protected");
}

#[tokio::test]
async fn sign_ups_without_owner_are_limited_by_network() {
    let server = server().await;
    for number in 0..10 {
        sign_up_alone(&server, &format!("agent-{number}")).await;
    }
    let refused = server.http().post("/v0/agent/sign-up", json!({"username": "agent-10"})).await;
    refused.require_error(429, "too_many_requests");
    server.sign_up("owner@example.org", "scout").await;
}

#[tokio::test]
async fn invited_mode_takes_each_invitation_once_and_closed_mode_none() {
    let server = options().set("INBOXD_SIGNUP", "invite").start().await;
    let sign_up = async |body: serde_json::Value| server.http().post("/v0/agent/sign-up", body).await;
    let plain = json!({"human_email": "owner@example.org", "username": "scout"});
    let refused = sign_up(plain).await.require_error(403, "sign_up_closed");
    assert!(refused["fix"].as_str().unwrap().contains("invitation"), "{refused:#}");
    let invitation = invitation_of(&server).await;
    assert!(invitation.starts_with("inv_") && invitation.len() > 40, "{invitation}");
    let is_hashed = format!(
        "DO $$ BEGIN ASSERT (SELECT invitation_hash = sha256('{invitation}') FROM sign_up_invitations); END $$"
    );
    server.database().execute(&is_hashed).await;
    // A refused sign-up does not use it up.
    let reserved = json!({"human_email": "owner@example.org", "username": "admin", "invitation": invitation});
    assert_eq!(sign_up(reserved).await.bad_fields(), ["username"]);
    let body = json!({"human_email": "owner@example.org", "username": "scout", "invitation": invitation});
    sign_up(body).await.ok();
    let again = json!({"human_email": "other@example.org", "username": "other", "invitation": invitation});
    sign_up(again).await.require_error(403, "sign_up_closed");
    let late = invitation_of(&server).await;
    server.database().execute("UPDATE sign_up_invitations SET expires_at = now()").await;
    let body = json!({"human_email": "other@example.org", "username": "other", "invitation": late});
    sign_up(body).await.require_error(403, "sign_up_closed");

    let server = options().set("INBOXD_SIGNUP", "closed").start().await;
    let invitation = invitation_of(&server).await;
    let body = json!({"human_email": "owner@example.org", "username": "scout", "invitation": invitation});
    server.http().post("/v0/agent/sign-up", body).await.require_error(403, "sign_up_closed");
}
