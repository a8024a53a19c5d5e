//! `POST /v0/agent/sign-up`.

use inboxd_testkit::{HttpRequest, RelayServer, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{count, options, run_concurrently, server};

const SIGN_UP: &str = "/v0/agent/sign-up";

#[tokio::test]
async fn sign_up_returns_organization_inbox_and_key() {
    let server = server().await;
    let body = json!({"human_email": "owner@example.org", "username": "Scout"});
    let answer = server.http().post(SIGN_UP, body).await.ok();
    assert_snapshot!(redacted(&answer), @r#"
    {
      "api_key": "[am_… of 46]",
      "inbox_id": "scout@signup.inboxd.localhost",
      "organization_id": "[org_…]"
    }
    "#);
    assert_eq!(answer["inbox_id"], "scout@signup.inboxd.localhost", "usernames are lower case");
}

#[tokio::test]
async fn key_of_sign_up_works_immediately() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let inboxes = agent.get("/v0/inboxes").await.ok();
    assert_eq!(inboxes["inboxes"][0]["inbox_id"], agent.inbox_id);
}

#[tokio::test]
async fn repeated_sign_up_of_owner_is_refused_without_key_rotation() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for (human_email, username) in [("owner@example.org", "other"), ("Owner@Example.ORG", "scout")] {
        let body = json!({"human_email": human_email, "username": username});
        let envelope = server.http().post(SIGN_UP, body).await.require_error(409, "account_exists");
        assert_eq!(envelope["name"], "ConflictError");
    }
    agent.get("/v0/inboxes").await.ok();
    // The username of the refused sign-up is still free.
    server.sign_up("somebody@example.org", "other").await;
}

#[tokio::test]
async fn username_in_use_is_refused() {
    let server = server().await;
    server.sign_up("owner@example.org", "scout").await;
    let body = json!({"human_email": "other@example.org", "username": "SCOUT"});
    server.http().post(SIGN_UP, body).await.require_error(409, "address_taken");
    // The refusal stored nothing: the same owner can still sign up.
    server.sign_up("other@example.org", "ranger").await;
}

#[tokio::test]
async fn concurrent_sign_ups_leave_one_organization() {
    let server = server().await;
    let answers = run_concurrently((0..20).map(|_| {
        let http = server.http();
        async move { http.post(SIGN_UP, json!({"human_email": "owner@example.org", "username": "scout"})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 409)), (1, 19));
}

#[tokio::test]
async fn invalid_fields_are_all_named() {
    let server = server().await;
    let both = json!({"human_email": "nobody", "username": "not a name"});
    assert_eq!(server.http().post(SIGN_UP, both).await.bad_fields(), ["human_email", "username"]);
    assert_eq!(server.http().post(SIGN_UP, json!({})).await.bad_fields(), ["username"]);
    let types = json!({"human_email": 7, "username": ["scout"]});
    assert_eq!(server.http().post(SIGN_UP, types).await.bad_fields(), ["human_email", "username"]);
    for username in ["postmaster", "abuse", "a+b", "", "ü", "a..b", &"x".repeat(65)] {
        let body = json!({"human_email": "owner@example.org", "username": username});
        assert_eq!(server.http().post(SIGN_UP, body).await.bad_fields(), ["username"], "{username:?}");
    }
}

#[tokio::test]
async fn authorization_field_is_ignored() {
    let server = server().await;
    let body = json!({"human_email": "owner@example.org", "username": "scout"});
    let request = HttpRequest::new("POST", SIGN_UP).header("Authorization", "Bearer None").json(&body);
    server.http().call(request).await.ok();
}

#[tokio::test]
async fn code_is_mailed_to_owner_through_relay() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let code = relay.code_for("owner@example.org").await;
    let mail = relay.mail_about("Your verification code").await;
    assert_eq!(mail.to, ["owner@example.org"]);
    assert!(mail.header("From").ends_with("<no-reply@inboxd.localhost>"), "{}", mail.text());
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    agent.verify_with(&code).await;
    // With outgoing delivery, only the owner receives the code.
    assert!(!server.log().lines().join("\n").contains(&code), "the log contains the code");
}

#[tokio::test]
async fn client_that_signs_up_too_often_is_rate_limited() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "2").start().await;
    for number in 0..2 {
        server.sign_up(&format!("owner{number}@example.org"), &format!("scout{number}")).await;
    }
    let body = json!({"human_email": "late@example.org", "username": "late"});
    let answer = server.http().post(SIGN_UP, body).await;
    answer.require_error(429, "too_many_requests");
    let wait: u32 = answer.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
}
