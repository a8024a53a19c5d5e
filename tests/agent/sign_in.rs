//! `POST /v0/agent/sign-in` and `POST /v0/agent/sign-in/verify`.

use inboxd_testkit::{HttpRequest, RelayServer, eventually, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{
    SIGN_IN, SIGN_IN_VERIFY, invite, invite_and_join, mailed_codes, member_path, request_code, sign_in, sign_in_client,
    wrong_code,
};
use crate::support::{count, options, run_concurrently, server, server_and_agent, text_fields};

#[tokio::test]
async fn mailed_code_issues_key_of_person() {
    let (server, agent) = server_and_agent().await;
    let answer = sign_in(&server, "owner@example.org", None).await;
    let name = answer["name"].as_str().unwrap().to_owned();
    let mut shown = answer.clone();
    shown["name"] = json!("…");
    assert_snapshot!(redacted(&shown), @r#"
    {
      "api_key": "[am_… of 46]",
      "api_key_id": "[key_…]",
      "name": "…",
      "organization_id": "[org_…]"
    }
    "#);
    assert_eq!(answer["organization_id"], agent.organization_id);
    let owner = server.http().with_key(answer["api_key"].as_str().unwrap());
    let me = owner.get("/v0/auth/me").await.ok();
    assert_eq!((me["email"].as_str(), me["role"].as_str()), (Some("owner@example.org"), Some("owner")));
    // Its name has a label, date and time: `Sign-in 2026-11-20 10:00:00 UTC`.
    let time = name.strip_prefix("Sign-in ").and_then(|rest| rest.strip_suffix(" UTC")).unwrap();
    assert_eq!(time.len(), "2026-11-20 10:00:00".len(), "{name}");
    assert_eq!(agent.get("/v0/api-keys").await.ok()["api_keys"][0]["name"], name);
}

#[tokio::test]
async fn sign_in_mails_six_digit_code_to_address_only() {
    let relay = RelayServer::start().await;
    let server = options().relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    server.http().post(SIGN_IN, json!({"email": "OWNER@example.org"})).await.ok();
    let mail = relay.mail_about("Your sign-in code").await;
    assert_eq!(mail.to, ["owner@example.org"]);
    let text = mail.text();
    let code = text.split_once("Your sign-in code is ").unwrap().1.lines().next().unwrap().to_owned();
    assert!(code.len() == 6 && code.bytes().all(|digit| digit.is_ascii_digit()), "{text}");
    assert!(!text.contains("://"), "{text}");
    // The database does not contain the code.
    let unknown = format!("SELECT 1 / (attempts - attempts) FROM sign_in_codes c WHERE c::text LIKE '%{code}%'");
    server.database().try_execute(&unknown).await.unwrap();
    server.http().post(SIGN_IN_VERIFY, json!({"email": "owner@example.org", "otp_code": code})).await.ok();
    // With outgoing delivery, only the address receives the code.
    assert!(!server.log().lines().join("\n").contains(&code), "the log contains the code");
}

#[tokio::test]
async fn sign_in_creates_new_key_and_revokes_none() {
    let (server, agent) = server_and_agent().await;
    let keys = [sign_in_client(&server, "owner@example.org").await, sign_in_client(&server, "Owner@Example.org").await];
    for key in keys {
        key.get("/v0/inboxes").await.ok();
    }
    agent.get("/v0/inboxes").await.ok();
    assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 3);
}

#[tokio::test]
async fn response_does_not_reveal_whether_account_exists() {
    let (server, _agent) = server_and_agent().await;
    let known = server.http().post(SIGN_IN, json!({"email": "owner@example.org"})).await;
    let unknown = server.http().post(SIGN_IN, json!({"email": "nobody@example.org"})).await;
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    assert_eq!(known.ok(), json!({"sent": true}));
    // The code of the later request would have been mailed in the same second as that of the earlier one.
    let right = request_code(&server, "owner@example.org").await;
    assert_eq!(mailed_codes(&server, "nobody@example.org"), [""; 0]);
    let guess = async |email: &str| {
        let proof = json!({"email": email, "otp_code": wrong_code(&right)});
        server.http().post(SIGN_IN_VERIFY, proof).await.require_error(401, "invalid_code")
    };
    assert_eq!(guess("owner@example.org").await, guess("nobody@example.org").await);
}

#[tokio::test]
async fn wrong_codes_count_alike_for_unknown_and_known_address() {
    let (server, _agent) = server_and_agent().await;
    let right = request_code(&server, "owner@example.org").await;
    server.http().post(SIGN_IN, json!({"email": "nobody@example.org"})).await.ok();
    for email in ["owner@example.org", "nobody@example.org"] {
        let answers = run_concurrently((0..20).map(|_| {
            let (http, otp_code) = (server.http(), wrong_code(&right));
            async move { http.post(SIGN_IN_VERIFY, json!({"email": email, "otp_code": otp_code})).await }
        }))
        .await;
        assert_eq!((count(&answers, 401), count(&answers, 429)), (10, 10), "{email}");
        answers.iter().find(|answer| answer.status == 429).unwrap().require_error(429, "code_attempts_exceeded");
    }
    let body = json!({"email": "owner@example.org", "otp_code": right});
    server.http().post(SIGN_IN_VERIFY, body).await.require_error(429, "code_attempts_exceeded");
    // A new code has separate attempts.
    sign_in_client(&server, "owner@example.org").await;
}

#[tokio::test]
async fn address_longer_in_lower_case_blocks_no_other_code() {
    let (server, _agent) = server_and_agent().await;
    let grows = format!("{}@b.example", "Ⱥ".repeat(115));
    assert_eq!(server.http().post(SIGN_IN, json!({"email": grows})).await.bad_fields(), ["email"]);
    let proof = json!({"email": grows, "otp_code": "000000"});
    assert_eq!(server.http().post(SIGN_IN_VERIFY, proof).await.bad_fields(), ["email"]);
    sign_in_client(&server, "owner@example.org").await;
}

#[tokio::test]
async fn strangers_cannot_lock_out_address_by_guessing() {
    let (server, _agent) = server_and_agent().await;
    let ask = async || server.http().post(SIGN_IN, json!({"email": "owner@example.org"})).await.ok();
    for _ in 0..19 {
        ask().await;
    }
    let last = request_code(&server, "owner@example.org").await;
    for _ in 0..10 {
        let proof = json!({"email": "owner@example.org", "otp_code": wrong_code(&last)});
        server.http().post(SIGN_IN_VERIFY, proof).await.require_error(401, "invalid_code");
    }
    let proof = json!({"email": "owner@example.org", "otp_code": last});
    let envelope = server.http().post(SIGN_IN_VERIFY, proof.clone()).await.require_error(429, "code_attempts_exceeded");
    assert!(envelope["fix"].as_str().unwrap().contains("five minutes"), "{envelope:#}");
    // Mails are spaced, so that no mailbox is flooded.
    ask().await;
    server.http().post(SIGN_IN_VERIFY, proof).await.require_error(429, "code_attempts_exceeded");
    server.database().execute("UPDATE sign_in_codes SET asked_at = asked_at - interval '5 minutes'").await;
    sign_in_client(&server, "owner@example.org").await;
}

#[tokio::test]
async fn wrong_codes_count_across_codes_alike_for_unknown_and_known_address() {
    let (server, _agent) = server_and_agent().await;
    let guess = async |email: &str, otp_code: &str| {
        server.http().post(SIGN_IN_VERIFY, json!({"email": email, "otp_code": otp_code})).await
    };
    for email in ["owner@example.org", "nobody@example.org"] {
        for _ in 0..2 {
            let right = if email.starts_with("owner") {
                request_code(&server, email).await
            } else {
                server.http().post(SIGN_IN, json!({"email": email})).await.ok();
                "000000".to_owned()
            };
            for _ in 0..10 {
                guess(email, &wrong_code(&right)).await.require_error(401, "invalid_code");
            }
        }
    }
    // Thirty more wrong codes, each of which counts for half an hour.
    let thirty = "UPDATE sign_in_codes SET guesses_until = guesses_until + interval '15 hours'";
    server.database().execute(thirty).await;
    server.http().post(SIGN_IN, json!({"email": "nobody@example.org"})).await.ok();
    let right = request_code(&server, "owner@example.org").await;
    for (email, otp_code) in [("owner@example.org", &*right), ("nobody@example.org", "000000")] {
        let refused = guess(email, otp_code).await;
        let wait: u64 = refused.header("Retry-After").unwrap().parse().unwrap();
        assert!((1..=1800).contains(&wait), "{wait}");
        refused.require_error(429, "code_attempts_exceeded");
    }
    let later = "UPDATE sign_in_codes SET guesses_until = guesses_until - interval '30 minutes'";
    server.database().execute(later).await;
    guess("nobody@example.org", "000000").await.require_error(401, "invalid_code");
    guess("owner@example.org", &right).await.ok();
}

#[tokio::test]
async fn concurrent_sign_ins_with_one_code_create_one_key() {
    let (server, agent) = server_and_agent().await;
    for round in 1..=3 {
        let otp_code = request_code(&server, "owner@example.org").await;
        let answers = run_concurrently((0..4).map(|_| {
            let (http, body) = (server.http(), json!({"email": "owner@example.org", "otp_code": otp_code}));
            async move { http.post(SIGN_IN_VERIFY, body).await }
        }))
        .await;
        assert_eq!((count(&answers, 200), count(&answers, 401)), (1, 3));
        assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 1 + round);
    }
}

#[tokio::test]
async fn key_of_sign_in_during_member_removal_is_revoked() {
    let (server, agent) = server_and_agent().await;
    for _ in 0..5 {
        invite(&agent, "maria@example.org", "member", json!([])).await;
        let path = member_path(&agent, "maria@example.org").await;
        let otp_code = request_code(&server, "maria@example.org").await;
        let body = json!({"email": "maria@example.org", "otp_code": otp_code});
        let http = server.http();
        let (signed_in, removed) = tokio::join!(http.post(SIGN_IN_VERIFY, body), agent.delete(&path));
        removed.require_no_content();
        if signed_in.status == 200 {
            let key = server.http().with_key(signed_in.ok()["api_key"].as_str().unwrap());
            key.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
        } else {
            signed_in.require_error(401, "invalid_code");
        }
        assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 1);
    }
}

#[tokio::test]
async fn newest_code_works_once() {
    let (server, _agent) = server_and_agent().await;
    let older = request_code(&server, "owner@example.org").await;
    let newer = request_code(&server, "owner@example.org").await;
    let send = async |otp_code: &str| {
        server.http().post(SIGN_IN_VERIFY, json!({"email": "owner@example.org", "otp_code": otp_code})).await
    };
    if older != newer {
        send(&older).await.require_error(401, "invalid_code");
    }
    send(&newer).await.ok();
    send(&newer).await.require_error(401, "invalid_code");
}

#[tokio::test]
async fn code_works_for_fifteen_minutes() {
    let (server, _agent) = server_and_agent().await;
    let otp_code = request_code(&server, "owner@example.org").await;
    let left = "expires_at - now() BETWEEN interval '14 minutes' AND interval '15 minutes'";
    let check = format!("DO $$ BEGIN ASSERT (SELECT {left} FROM sign_in_codes); END $$");
    server.database().execute(&check).await;
    server.database().execute("UPDATE sign_in_codes SET expires_at = now()").await;
    let body = json!({"email": "owner@example.org", "otp_code": otp_code});
    server.http().post(SIGN_IN_VERIFY, body).await.require_error(401, "invalid_code");
}

#[tokio::test]
async fn sign_in_of_unverified_owner_mails_new_verification_code() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let first = server.log().code_for("owner@example.org").await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    assert_eq!(owner.get("/v0/organizations").await.ok()["verified"], false);
    let is_fresh = |entry: &serde_json::Value| {
        let text = entry["text"].as_str().unwrap_or_default();
        entry["to"] == "owner@example.org" && text.starts_with("Your verification code is ") && !text.ends_with(&first)
    };
    let entry = server.log().entry("a fresh sign-up code", is_fresh).await;
    let fresh = entry["text"].as_str().unwrap().split(' ').next_back().unwrap().to_owned();
    owner.post("/v0/agent/verify", json!({"otp_code": fresh})).await.ok();
    assert_eq!(owner.get("/v0/organizations").await.ok()["verified"], true);
    agent.get("/v0/organizations").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn sign_in_selects_owned_else_most_recently_used_organization() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    invite(&one, "maria@example.org", "member", json!([])).await;
    invite(&two, "maria@example.org", "member", json!([])).await;
    invite(&one, "two@example.org", "admin", json!([])).await;

    let lands =
        async |email: &str, chosen: Option<&str>| sign_in(&server, email, chosen).await["organization_id"].clone();
    assert_eq!(lands("two@example.org", None).await, two.organization_id, "owned by the address");
    assert_eq!(lands("maria@example.org", Some(&one.organization_id)).await, one.organization_id);
    assert_eq!(lands("maria@example.org", None).await, one.organization_id, "most recently used");
    assert_eq!(lands("maria@example.org", Some(&two.organization_id)).await, two.organization_id);
    assert_eq!(lands("maria@example.org", None).await, two.organization_id);
}

#[tokio::test]
async fn foreign_organization_is_not_found() {
    let (server, agent) = server_and_agent().await;
    server.verified("other@example.org", "ranger").await;
    for chosen in [agent.organization_id.as_str(), "org_00000000000000000000000000000000", "nonsense"] {
        let otp_code = request_code(&server, "other@example.org").await;
        let body = json!({"email": "other@example.org", "otp_code": otp_code, "organization_id": chosen});
        let envelope = server.http().post(SIGN_IN_VERIFY, body).await.require_error(404, "not_found");
        assert!(envelope["fix"].as_str().unwrap().starts_with("leave `organization_id` out"), "{envelope:#}");
        let wrong = json!({"email": "other@example.org", "otp_code": wrong_code(&otp_code), "organization_id": chosen});
        server.http().post(SIGN_IN_VERIFY, wrong).await.require_error(401, "invalid_code");
    }
}

#[tokio::test]
async fn sign_in_accepts_all_invitations_of_address() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    invite(&one, "two@example.org", "member", json!([])).await;
    let two_as_person = sign_in_client(&server, "two@example.org").await;
    let me = two_as_person.get("/v0/auth/me").await.ok();
    let mut organizations = text_fields(&me, "organizations", "organization_id");
    organizations.sort_unstable();
    let mut expected = [one.organization_id.as_str(), two.organization_id.as_str()];
    expected.sort_unstable();
    assert_eq!(organizations, expected);
    let members = one.get("/v0/members").await.ok();
    assert_eq!(members["members"][0]["status"], "active");
}

#[tokio::test]
async fn invalid_fields_are_named_and_authorization_is_ignored() {
    let server = server().await;
    assert_eq!(server.http().post(SIGN_IN, json!({})).await.bad_fields(), ["email"]);
    assert_eq!(server.http().post(SIGN_IN, json!({"email": "nobody"})).await.bad_fields(), ["email"]);
    let both = json!({"email": "nobody", "otp_code": "12345"});
    assert_eq!(server.http().post(SIGN_IN_VERIFY, both).await.bad_fields(), ["email", "otp_code"]);
    assert_eq!(server.http().post(SIGN_IN_VERIFY, json!({})).await.bad_fields(), ["email", "otp_code"]);
    let junk =
        HttpRequest::new("POST", SIGN_IN).header("Authorization", "Bearer None").json(&json!({"email": "a@b.example"}));
    server.http().call(junk).await.ok();
    let (server, _agent) = server_and_agent().await;
    for junk in ["Bearer None", "Bearer am_nonsense", "Basic YTpi", "junk"] {
        let body = json!({"email": "owner@example.org", "otp_code": request_code(&server, "owner@example.org").await});
        let verify = HttpRequest::new("POST", SIGN_IN_VERIFY).header("Authorization", junk).json(&body);
        server.http().call(verify).await.ok();
    }
}

#[tokio::test]
async fn client_that_signs_in_too_often_is_rate_limited() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "2").start().await;
    server.http().post(SIGN_IN, json!({"email": "a@example.org"})).await.ok();
    let body = json!({"email": "a@example.org", "otp_code": "000000"});
    server.http().post(SIGN_IN_VERIFY, body.clone()).await.require_error(401, "invalid_code");
    server.http().post(SIGN_IN_VERIFY, body).await.require_error(429, "too_many_requests");
    server.http().post(SIGN_IN, json!({"email": "a@example.org"})).await.require_error(429, "too_many_requests");
}

#[tokio::test]
async fn codes_of_address_are_limited_hourly_with_equal_response() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "member", json!([])).await;
    for _ in 0..25 {
        assert_eq!(
            server.http().post(SIGN_IN, json!({"email": "Maria@Example.org"})).await.ok(),
            json!({"sent": true})
        );
    }
    // Other addresses still receive codes; by then all due codes of the first address are mailed.
    sign_in_client(&server, "owner@example.org").await;
    let mailed = mailed_codes(&server, "maria@example.org");
    assert!((1..=20).contains(&mailed.len()), "{} codes were mailed", mailed.len());
    server.http().post(SIGN_IN, json!({"email": "maria@example.org"})).await.ok();
    sign_in_client(&server, "owner@example.org").await;
    assert_eq!(mailed_codes(&server, "maria@example.org").len(), mailed.len());
    // The last code works. Mails are sent concurrently, so it is among the last received ones.
    let mut is_signed_in = false;
    for code in mailed.iter().rev().take(4) {
        let body = json!({"email": "maria@example.org", "otp_code": code});
        is_signed_in = is_signed_in || server.http().post(SIGN_IN_VERIFY, body).await.status == 200;
    }
    assert!(is_signed_in, "none of the last codes works");
    server.database().execute("UPDATE sign_in_codes SET asked_since = asked_since - interval '1 hour'").await;
    sign_in_client(&server, "maria@example.org").await;
}

#[tokio::test]
async fn sign_in_key_passes_same_checks_as_other_keys() {
    let (server, agent) = server_and_agent().await;
    let maria = invite_and_join(&server, &agent, "maria@example.org", "admin", json!([])).await;
    let api_key_id = maria.get("/v0/auth/me").await.ok()["api_key_id"].as_str().unwrap().to_owned();
    agent.delete(&format!("/v0/api-keys/{api_key_id}")).await.require_no_content();
    maria.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn undeliverable_codes_do_not_block_other_mail() {
    let (server, agent) = server_and_agent().await;
    let database = server.database();
    database.execute("CREATE TABLE done (yes boolean)").await;
    // Readers of the codes table wait until its lock is released.
    let hold = "DO $$ BEGIN
        LOCK TABLE sign_in_codes IN ACCESS EXCLUSIVE MODE;
        WHILE NOT EXISTS (SELECT FROM done) LOOP PERFORM pg_sleep(0.02); END LOOP;
    END $$";
    let delivered = async {
        let waits = "DO $$ BEGIN ASSERT EXISTS (SELECT FROM pg_locks
            WHERE relation = 'sign_in_codes'::regclass AND NOT granted); END $$";
        eventually("the worker waits for the codes", async || database.try_execute(waits).await.ok()).await;
        agent.send(json!({"to": "bob@outside.example", "subject": "not held up", "text": "hello"})).await;
        server.log().entry("the mail", |entry| entry["to"] == "bob@outside.example").await;
        database.execute("INSERT INTO done VALUES (true)").await;
    };
    tokio::join!(database.execute(hold), delivered);
    sign_in_client(&server, "owner@example.org").await;
}
