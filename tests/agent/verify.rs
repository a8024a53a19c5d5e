//! `POST /v0/agent/verify`.

use inboxd_testkit::{Persona, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::support::{mail_to, receive, second_process, server, set_plan};

const VERIFY: &str = "/v0/agent/verify";

/// Returns a code that differs from the mailed one.
async fn wrong_code(agent: &Persona, server: &inboxd_testkit::TestServer) -> String {
    let code: u32 = server.log().code_for(&agent.owner).await.parse().unwrap();
    format!("{:06}", (code + 1) % 1_000_000)
}

#[tokio::test]
async fn mailed_code_verifies_organization() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    assert_eq!(agent.get("/v0/organizations").await.ok()["verified"], false);
    assert_snapshot!(redacted(&agent.verify().await), @r#"
    {
      "existing_keys": [],
      "existing_webhooks": [],
      "inbox_domain": "inboxd.localhost",
      "inboxes_on_signup_domain": [
        "scout@signup.inboxd.localhost"
      ],
      "verified": true
    }
    "#);
    assert_eq!(agent.get("/v0/organizations").await.ok()["verified"], true);
}

#[tokio::test]
async fn wrong_code_is_refused_and_right_one_still_works() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let wrong = wrong_code(&agent, &server).await;
    let envelope = agent.post(VERIFY, json!({"otp_code": wrong})).await.require_error(401, "invalid_code");
    assert_eq!(envelope["name"], "UnauthorizedError");
    agent.verify().await;
}

#[tokio::test]
async fn right_code_is_refused_after_ten_wrong_ones() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let wrong = wrong_code(&agent, &server).await;
    let mut fix = json!(null);
    for _ in 0..10 {
        let envelope = agent.post(VERIFY, json!({"otp_code": wrong})).await.require_error(401, "invalid_code");
        fix = envelope["fix"].clone();
    }
    let last = fix.as_str().unwrap();
    assert!(last.contains("no attempts left") && last.contains("POST /v0/agent/sign-in"), "{last}");
    let right = server.log().code_for("owner@example.org").await;
    let answer = agent.post(VERIFY, json!({"otp_code": right})).await;
    let envelope = answer.require_error(429, "code_attempts_exceeded");
    assert!(envelope["fix"].as_str().unwrap().contains("POST /v0/agent/sign-in"), "{envelope:#}");
    assert_eq!(agent.get("/v0/organizations").await.ok()["verified"], false);
}

#[tokio::test]
async fn concurrent_wrong_codes_are_all_counted() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let wrong = wrong_code(&agent, &server).await;
    let answers = crate::support::run_concurrently((0..30).map(|_| {
        let (agent, wrong) = (agent.clone(), wrong.clone());
        async move { agent.post(VERIFY, json!({"otp_code": wrong})).await }
    }))
    .await;
    assert_eq!(crate::support::count(&answers, 401), 10);
    assert_eq!(crate::support::count(&answers, 429), 20);
}

#[tokio::test]
async fn expired_code_is_replaced_by_new_one() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let old = server.log().code_for("owner@example.org").await;
    server.database().execute("UPDATE verification_codes SET expires_at = now() - interval '1 second'").await;
    agent.post(VERIFY, json!({"otp_code": old})).await.require_error(401, "invalid_code");
    let is_second = |entries: Vec<_>| {
        entries.into_iter().filter(|e: &serde_json::Value| e["to"] == "owner@example.org").count() == 2
    };
    inboxd_testkit::eventually("a second code is mailed", async || is_second(server.log().entries()).then_some(()))
        .await;
    agent.verify().await;
}

#[tokio::test]
async fn verified_organization_cannot_verify_again() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    agent.post(VERIFY, json!({"otp_code": "123456"})).await.require_error(409, "already_verified");
}

#[tokio::test]
async fn code_of_other_organization_is_refused() {
    let server = server().await;
    let one = server.sign_up("one@example.org", "one").await;
    let two = server.sign_up("two@example.org", "two").await;
    let (first, second) =
        (server.log().code_for("one@example.org").await, server.log().code_for("two@example.org").await);
    assert_ne!(first, second, "the codes are equal by a chance of one in a million");
    two.post(VERIFY, json!({"otp_code": first})).await.require_error(401, "invalid_code");
    one.verify_with(&first).await;
}

#[tokio::test]
async fn code_has_six_digits() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for otp_code in [json!("12345"), json!("1234567"), json!("abcdef"), json!(123_456), json!(null)] {
        assert_eq!(agent.post(VERIFY, json!({"otp_code": otp_code})).await.bad_fields(), ["otp_code"], "{otp_code}");
    }
    assert_eq!(agent.post(VERIFY, json!({})).await.bad_fields(), ["otp_code"]);
}

#[tokio::test]
async fn stored_addresses_survive_domain_change() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let minted = agent.get(&agent.inbox("")).await.ok();
    let is_as_minted = async |agent: &Persona| {
        let inboxes = agent.get("/v0/inboxes").await.ok()["inboxes"].clone();
        assert_eq!(inboxes, json!([minted]));
        assert_eq!(agent.get(&agent.inbox("")).await.ok(), minted);
    };
    agent.verify().await;
    is_as_minted(&agent).await;
    for plan in ["enterprise", "free"] {
        set_plan(&server, &agent, plan).await;
        is_as_minted(&agent).await;
    }
    // The service changes its domain: existing addresses stay, new ones use the new domain.
    let moved = second_process(&server)
        .set("INBOXD_DOMAIN", "moved.example")
        .set("INBOXD_SIGNUP_DOMAIN", "new.moved.example")
        .start()
        .await;
    let there = agent.at(&moved);
    is_as_minted(&there).await;
    receive(&moved, &there, &mail_to(&there, "hello")).await;
    assert_eq!(there.message_about("hello").await["inbox_id"], minted["inbox_id"]);
    let sent = there.send(json!({"to": "bob@outside.example", "subject": "still me", "text": "x"})).await;
    assert_eq!(there.get(&there.message(&sent["message_id"], "")).await.ok()["from"], minted["inbox_id"]);
    let next = there.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    assert_eq!(next["inbox_id"], "desk@moved.example");
}
