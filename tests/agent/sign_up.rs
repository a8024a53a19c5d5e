//! `POST /v0/agent/sign-up`.

use inboxd_testkit::{Relay, Request, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{at_once, count, options, server};

const SIGN_UP: &str = "/v0/agent/sign-up";

#[tokio::test]
async fn signing_up_returns_an_organization_an_inbox_and_a_key() {
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
async fn the_key_works_at_once() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let inboxes = agent.get("/v0/inboxes").await.ok();
    assert_eq!(inboxes["inboxes"][0]["inbox_id"], agent.inbox_id);
}

#[tokio::test]
async fn an_owner_who_signs_up_again_is_refused_and_no_key_is_rotated() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for (human_email, username) in [("owner@example.org", "other"), ("Owner@Example.ORG", "scout")] {
        let body = json!({"human_email": human_email, "username": username});
        let envelope = server.http().post(SIGN_UP, body).await.refused(409, "account_exists");
        assert_eq!(envelope["name"], "ConflictError");
    }
    agent.get("/v0/inboxes").await.ok();
    // The username that the refused sign-up asked for is still free.
    server.sign_up("somebody@example.org", "other").await;
}

#[tokio::test]
async fn an_address_that_somebody_has_is_taken() {
    let server = server().await;
    server.sign_up("owner@example.org", "scout").await;
    let body = json!({"human_email": "other@example.org", "username": "SCOUT"});
    server.http().post(SIGN_UP, body).await.refused(409, "address_taken");
    // The refusal left nothing behind: the same owner can still sign up.
    server.sign_up("other@example.org", "ranger").await;
}

#[tokio::test]
async fn of_many_sign_ups_at_once_one_succeeds() {
    let server = server().await;
    let answers = at_once((0..20).map(|_| {
        let http = server.http();
        async move { http.post(SIGN_UP, json!({"human_email": "owner@example.org", "username": "scout"})).await }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 409)), (1, 19));
}

#[tokio::test]
async fn every_bad_field_is_named() {
    let server = server().await;
    let both = json!({"human_email": "nobody", "username": "not a name"});
    assert_eq!(server.http().post(SIGN_UP, both).await.bad_fields(), ["human_email", "username"]);
    assert_eq!(server.http().post(SIGN_UP, json!({})).await.bad_fields(), ["human_email", "username"]);
    let types = json!({"human_email": 7, "username": ["scout"]});
    assert_eq!(server.http().post(SIGN_UP, types).await.bad_fields(), ["human_email", "username"]);
    for username in ["postmaster", "abuse", "a+b", "", "ü", "a..b", &"x".repeat(65)] {
        let body = json!({"human_email": "owner@example.org", "username": username});
        assert_eq!(server.http().post(SIGN_UP, body).await.bad_fields(), ["username"], "{username:?}");
    }
}

#[tokio::test]
async fn what_clients_send_as_authorization_is_ignored() {
    let server = server().await;
    let body = json!({"human_email": "owner@example.org", "username": "scout"});
    let request = Request::new("POST", SIGN_UP).header("Authorization", "Bearer None").json(&body);
    server.http().call(request).await.ok();
}

#[tokio::test]
async fn the_code_leaves_through_the_relay_as_mail_to_the_owner() {
    let relay = Relay::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let code = relay.code_for("owner@example.org").await;
    let mail = relay.mail_about("Your verification code").await;
    assert_eq!(mail.to, ["owner@example.org"]);
    assert!(mail.header("From").ends_with("<no-reply@inboxd.localhost>"), "{}", mail.text());
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    agent.verify_with(&code).await;
    // Where mail leaves, the code is the owner's alone.
    assert!(!server.log().lines().join("\n").contains(&code), "the log shows the code");
}

#[tokio::test]
async fn an_address_that_signs_up_too_often_has_to_wait() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "2").start().await;
    for number in 0..2 {
        server.sign_up(&format!("owner{number}@example.org"), &format!("scout{number}")).await;
    }
    let body = json!({"human_email": "late@example.org", "username": "late"});
    let answer = server.http().post(SIGN_UP, body).await;
    answer.refused(429, "too_many_requests");
    let wait: u32 = answer.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
}
