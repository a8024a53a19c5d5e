//! `POST /v0/agent/sign-in` and `POST /v0/agent/sign-in/verify`.

use inboxd_testkit::{Relay, Request, eventually, redacted};
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{SIGN_IN, SIGN_IN_VERIFY, code, codes, invited, joined, path_of, person, signed_in, wrong};
use crate::support::{at_once, count, each, options, server, server_and_agent};

#[tokio::test]
async fn the_mailed_code_issues_a_key_that_acts_as_that_person() {
    let (server, agent) = server_and_agent().await;
    let answer = signed_in(&server, "owner@example.org", None).await;
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
    // Named with a sign-in label and date and time: `Sign-in 2026-11-20 10:00:00 UTC`.
    let time = name.strip_prefix("Sign-in ").and_then(|rest| rest.strip_suffix(" UTC")).unwrap();
    assert_eq!(time.len(), "2026-11-20 10:00:00".len(), "{name}");
    assert_eq!(agent.get("/v0/api-keys").await.ok()["api_keys"][0]["name"], name);
}

#[tokio::test]
async fn sign_in_mails_a_code_of_six_digits_to_the_address_alone() {
    let relay = Relay::start().await;
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
    // The database does not know it.
    let unknown = format!("SELECT 1 / (attempts - attempts) FROM sign_in_codes c WHERE c::text LIKE '%{code}%'");
    server.database().try_execute(&unknown).await.unwrap();
    server.http().post(SIGN_IN_VERIFY, json!({"email": "owner@example.org", "otp_code": code})).await.ok();
    // Where mail leaves, the code is the address's alone.
    assert!(!server.log().lines().join("\n").contains(&code), "the log shows the code");
}

#[tokio::test]
async fn each_sign_in_mints_a_new_key_and_revokes_nothing() {
    let (server, agent) = server_and_agent().await;
    let keys = [person(&server, "owner@example.org").await, person(&server, "Owner@Example.org").await];
    for key in keys {
        key.get("/v0/inboxes").await.ok();
    }
    agent.get("/v0/inboxes").await.ok();
    assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 3);
}

#[tokio::test]
async fn the_answer_does_not_reveal_whether_an_account_exists() {
    let (server, _agent) = server_and_agent().await;
    let known = server.http().post(SIGN_IN, json!({"email": "owner@example.org"})).await;
    let unknown = server.http().post(SIGN_IN, json!({"email": "nobody@example.org"})).await;
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    assert_eq!(known.ok(), json!({"sent": true}));
    // The code of the later one would have come with that of the earlier one's second.
    let right = code(&server, "owner@example.org").await;
    assert_eq!(codes(&server, "nobody@example.org"), [""; 0]);
    let guess = async |email: &str| {
        let proof = json!({"email": email, "otp_code": wrong(&right)});
        server.http().post(SIGN_IN_VERIFY, proof).await.refused(401, "invalid_code")
    };
    assert_eq!(guess("owner@example.org").await, guess("nobody@example.org").await);
}

#[tokio::test]
async fn wrong_codes_for_an_unknown_address_are_counted_as_for_a_known_one() {
    let (server, _agent) = server_and_agent().await;
    let right = code(&server, "owner@example.org").await;
    server.http().post(SIGN_IN, json!({"email": "nobody@example.org"})).await.ok();
    for email in ["owner@example.org", "nobody@example.org"] {
        let answers = at_once((0..20).map(|_| {
            let (http, otp_code) = (server.http(), wrong(&right));
            async move { http.post(SIGN_IN_VERIFY, json!({"email": email, "otp_code": otp_code})).await }
        }))
        .await;
        assert_eq!((count(&answers, 401), count(&answers, 429)), (10, 10), "{email}");
        answers.iter().find(|answer| answer.status == 429).unwrap().refused(429, "code_attempts_exceeded");
    }
    let body = json!({"email": "owner@example.org", "otp_code": right});
    server.http().post(SIGN_IN_VERIFY, body).await.refused(429, "code_attempts_exceeded");
    // A fresh code has attempts of its own.
    person(&server, "owner@example.org").await;
}

#[tokio::test]
async fn an_address_that_is_longer_in_lower_case_keeps_nobody_from_their_code() {
    let (server, _agent) = server_and_agent().await;
    let grows = format!("{}@b.example", "Ⱥ".repeat(115));
    assert_eq!(server.http().post(SIGN_IN, json!({"email": grows})).await.bad_fields(), ["email"]);
    let proof = json!({"email": grows, "otp_code": "000000"});
    assert_eq!(server.http().post(SIGN_IN_VERIFY, proof).await.bad_fields(), ["email"]);
    person(&server, "owner@example.org").await;
}

#[tokio::test]
async fn nobody_is_locked_out_by_others_who_ask_and_guess() {
    let (server, _agent) = server_and_agent().await;
    let ask = async || server.http().post(SIGN_IN, json!({"email": "owner@example.org"})).await.ok();
    for _ in 0..19 {
        ask().await;
    }
    let last = code(&server, "owner@example.org").await;
    for _ in 0..10 {
        let proof = json!({"email": "owner@example.org", "otp_code": wrong(&last)});
        server.http().post(SIGN_IN_VERIFY, proof).await.refused(401, "invalid_code");
    }
    let proof = json!({"email": "owner@example.org", "otp_code": last});
    let envelope = server.http().post(SIGN_IN_VERIFY, proof.clone()).await.refused(429, "code_attempts_exceeded");
    assert!(envelope["fix"].as_str().unwrap().contains("five minutes"), "{envelope:#}");
    // Not at once, so that no mailbox is filled.
    ask().await;
    server.http().post(SIGN_IN_VERIFY, proof).await.refused(429, "code_attempts_exceeded");
    server.database().execute("UPDATE sign_in_codes SET asked_at = asked_at - interval '5 minutes'").await;
    person(&server, "owner@example.org").await;
}

#[tokio::test]
async fn wrong_codes_are_counted_across_codes_for_an_unknown_address_as_for_a_known_one() {
    let (server, _agent) = server_and_agent().await;
    let guess = async |email: &str, otp_code: &str| {
        server.http().post(SIGN_IN_VERIFY, json!({"email": email, "otp_code": otp_code})).await
    };
    for email in ["owner@example.org", "nobody@example.org"] {
        for _ in 0..5 {
            let right = if email.starts_with("owner") {
                code(&server, email).await
            } else {
                server.http().post(SIGN_IN, json!({"email": email})).await.ok();
                "000000".to_owned()
            };
            for _ in 0..10 {
                guess(email, &wrong(&right)).await.refused(401, "invalid_code");
            }
        }
    }
    server.http().post(SIGN_IN, json!({"email": "nobody@example.org"})).await.ok();
    let right = code(&server, "owner@example.org").await;
    for (email, otp_code) in [("owner@example.org", &*right), ("nobody@example.org", "000000")] {
        let refused = guess(email, otp_code).await;
        let wait: u64 = refused.header("Retry-After").unwrap().parse().unwrap();
        assert!((1..=1800).contains(&wait), "{wait}");
        refused.refused(429, "code_attempts_exceeded");
    }
    let later = "UPDATE sign_in_codes SET guesses_until = guesses_until - interval '30 minutes'";
    server.database().execute(later).await;
    guess("nobody@example.org", "000000").await.refused(401, "invalid_code");
    guess("owner@example.org", &right).await.ok();
}

#[tokio::test]
async fn of_two_sign_ins_with_one_code_at_once_one_gets_a_key() {
    let (server, agent) = server_and_agent().await;
    for round in 1..=3 {
        let otp_code = code(&server, "owner@example.org").await;
        let answers = at_once((0..4).map(|_| {
            let (http, body) = (server.http(), json!({"email": "owner@example.org", "otp_code": otp_code}));
            async move { http.post(SIGN_IN_VERIFY, body).await }
        }))
        .await;
        assert_eq!((count(&answers, 200), count(&answers, 401)), (1, 3));
        assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 1 + round);
    }
}

#[tokio::test]
async fn no_key_survives_a_sign_in_during_the_removal() {
    let (server, agent) = server_and_agent().await;
    for _ in 0..5 {
        invited(&agent, "maria@example.org", "member", json!([])).await;
        let path = path_of(&agent, "maria@example.org").await;
        let otp_code = code(&server, "maria@example.org").await;
        let body = json!({"email": "maria@example.org", "otp_code": otp_code});
        let http = server.http();
        let (signed_in, removed) = tokio::join!(http.post(SIGN_IN_VERIFY, body), agent.delete(&path));
        removed.gone();
        if signed_in.status == 200 {
            let key = server.http().with_key(signed_in.ok()["api_key"].as_str().unwrap());
            key.get("/v0/auth/me").await.refused(401, "unknown_api_key");
        } else {
            signed_in.refused(401, "invalid_code");
        }
        assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 1);
    }
}

#[tokio::test]
async fn a_code_works_once_and_the_newest_alone() {
    let (server, _agent) = server_and_agent().await;
    let older = code(&server, "owner@example.org").await;
    let newer = code(&server, "owner@example.org").await;
    let send = async |otp_code: &str| {
        server.http().post(SIGN_IN_VERIFY, json!({"email": "owner@example.org", "otp_code": otp_code})).await
    };
    if older != newer {
        send(&older).await.refused(401, "invalid_code");
    }
    send(&newer).await.ok();
    send(&newer).await.refused(401, "invalid_code");
}

#[tokio::test]
async fn a_code_works_for_fifteen_minutes() {
    let (server, _agent) = server_and_agent().await;
    let otp_code = code(&server, "owner@example.org").await;
    let left = "expires_at - now() BETWEEN interval '14 minutes' AND interval '15 minutes'";
    let check = format!("DO $$ BEGIN ASSERT (SELECT {left} FROM sign_in_codes); END $$");
    server.database().execute(&check).await;
    server.database().execute("UPDATE sign_in_codes SET expires_at = now()").await;
    let body = json!({"email": "owner@example.org", "otp_code": otp_code});
    server.http().post(SIGN_IN_VERIFY, body).await.refused(401, "invalid_code");
}

#[tokio::test]
async fn an_owner_who_signs_in_while_unverified_stays_so_and_is_mailed_a_fresh_code_for_verify() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let first = server.log().code_for("owner@example.org").await;
    let owner = person(&server, "owner@example.org").await;
    assert_eq!(owner.get("/v0/organizations").await.ok()["verified"], false);
    let is_fresh = |entry: &serde_json::Value| {
        let text = entry["text"].as_str().unwrap_or_default();
        entry["to"] == "owner@example.org" && text.starts_with("Your verification code is ") && !text.ends_with(&first)
    };
    let entry = server.log().entry("a fresh sign-up code", is_fresh).await;
    let fresh = entry["text"].as_str().unwrap().split(' ').next_back().unwrap().to_owned();
    owner.post("/v0/agent/verify", json!({"otp_code": fresh})).await.ok();
    assert_eq!(owner.get("/v0/organizations").await.ok()["verified"], true);
    agent.get("/v0/organizations").await.refused(401, "unknown_api_key");
}

#[tokio::test]
async fn signing_in_lands_in_the_organization_the_address_owns_else_the_one_used_most_recently() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    invited(&one, "maria@example.org", "member", json!([])).await;
    invited(&two, "maria@example.org", "member", json!([])).await;
    invited(&one, "two@example.org", "admin", json!([])).await;

    let lands =
        async |email: &str, chosen: Option<&str>| signed_in(&server, email, chosen).await["organization_id"].clone();
    assert_eq!(lands("two@example.org", None).await, two.organization_id, "they own it");
    assert_eq!(lands("maria@example.org", Some(&one.organization_id)).await, one.organization_id);
    assert_eq!(lands("maria@example.org", None).await, one.organization_id, "used most recently");
    assert_eq!(lands("maria@example.org", Some(&two.organization_id)).await, two.organization_id);
    assert_eq!(lands("maria@example.org", None).await, two.organization_id);
}

#[tokio::test]
async fn an_organization_that_is_not_theirs_is_not_found() {
    let (server, agent) = server_and_agent().await;
    server.verified("other@example.org", "ranger").await;
    for chosen in [agent.organization_id.as_str(), "org_00000000000000000000000000000000", "nonsense"] {
        let otp_code = code(&server, "other@example.org").await;
        let body = json!({"email": "other@example.org", "otp_code": otp_code, "organization_id": chosen});
        let envelope = server.http().post(SIGN_IN_VERIFY, body).await.refused(404, "not_found");
        assert!(envelope["fix"].as_str().unwrap().starts_with("leave `organization_id` out"), "{envelope:#}");
        let wrong = json!({"email": "other@example.org", "otp_code": wrong(&otp_code), "organization_id": chosen});
        server.http().post(SIGN_IN_VERIFY, wrong).await.refused(401, "invalid_code");
    }
}

#[tokio::test]
async fn a_sign_in_turns_every_invitation_of_the_address_into_a_membership() {
    let server = server().await;
    let one = server.verified("one@example.org", "one").await;
    let two = server.verified("two@example.org", "two").await;
    invited(&one, "two@example.org", "member", json!([])).await;
    let two_as_person = person(&server, "two@example.org").await;
    let me = two_as_person.get("/v0/auth/me").await.ok();
    let mut organizations = each(&me, "organizations", "organization_id");
    organizations.sort_unstable();
    let mut expected = [one.organization_id.as_str(), two.organization_id.as_str()];
    expected.sort_unstable();
    assert_eq!(organizations, expected);
    let members = one.get("/v0/members").await.ok();
    assert_eq!(members["members"][0]["status"], "active");
}

#[tokio::test]
async fn every_bad_field_is_named_and_authorization_is_ignored() {
    let server = server().await;
    assert_eq!(server.http().post(SIGN_IN, json!({})).await.bad_fields(), ["email"]);
    assert_eq!(server.http().post(SIGN_IN, json!({"email": "nobody"})).await.bad_fields(), ["email"]);
    let both = json!({"email": "nobody", "otp_code": "12345"});
    assert_eq!(server.http().post(SIGN_IN_VERIFY, both).await.bad_fields(), ["email", "otp_code"]);
    assert_eq!(server.http().post(SIGN_IN_VERIFY, json!({})).await.bad_fields(), ["email", "otp_code"]);
    let junk =
        Request::new("POST", SIGN_IN).header("Authorization", "Bearer None").json(&json!({"email": "a@b.example"}));
    server.http().call(junk).await.ok();
    let (server, _agent) = server_and_agent().await;
    for junk in ["Bearer None", "Bearer am_nonsense", "Basic YTpi", "junk"] {
        let body = json!({"email": "owner@example.org", "otp_code": code(&server, "owner@example.org").await});
        let verify = Request::new("POST", SIGN_IN_VERIFY).header("Authorization", junk).json(&body);
        server.http().call(verify).await.ok();
    }
}

#[tokio::test]
async fn an_address_that_signs_in_too_often_has_to_wait() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "2").start().await;
    server.http().post(SIGN_IN, json!({"email": "a@example.org"})).await.ok();
    let body = json!({"email": "a@example.org", "otp_code": "000000"});
    server.http().post(SIGN_IN_VERIFY, body.clone()).await.refused(401, "invalid_code");
    server.http().post(SIGN_IN_VERIFY, body).await.refused(429, "too_many_requests");
    server.http().post(SIGN_IN, json!({"email": "a@example.org"})).await.refused(429, "too_many_requests");
}

#[tokio::test]
async fn an_address_is_mailed_so_many_codes_an_hour_and_the_answer_stays_the_same() {
    let (server, agent) = server_and_agent().await;
    invited(&agent, "maria@example.org", "member", json!([])).await;
    for _ in 0..25 {
        assert_eq!(
            server.http().post(SIGN_IN, json!({"email": "Maria@Example.org"})).await.ok(),
            json!({"sent": true})
        );
    }
    // Others are mailed as ever, and by then all that is owed to the first is.
    person(&server, "owner@example.org").await;
    let mailed = codes(&server, "maria@example.org");
    assert!((1..=20).contains(&mailed.len()), "{} codes were mailed", mailed.len());
    server.http().post(SIGN_IN, json!({"email": "maria@example.org"})).await.ok();
    person(&server, "owner@example.org").await;
    assert_eq!(codes(&server, "maria@example.org").len(), mailed.len());
    // The newest that was mailed still works. Mails leave side by side, so it is among the last that came.
    let mut is_signed_in = false;
    for code in mailed.iter().rev().take(4) {
        let body = json!({"email": "maria@example.org", "otp_code": code});
        is_signed_in = is_signed_in || server.http().post(SIGN_IN_VERIFY, body).await.status == 200;
    }
    assert!(is_signed_in, "none of the last codes works");
    server.database().execute("UPDATE sign_in_codes SET asked_since = asked_since - interval '1 hour'").await;
    person(&server, "maria@example.org").await;
}

#[tokio::test]
async fn a_sign_in_key_survives_the_same_checks_as_any_other() {
    let (server, agent) = server_and_agent().await;
    let maria = joined(&server, &agent, "maria@example.org", "admin", json!([])).await;
    let api_key_id = maria.get("/v0/auth/me").await.ok()["api_key_id"].as_str().unwrap().to_owned();
    agent.delete(&format!("/v0/api-keys/{api_key_id}")).await.gone();
    maria.get("/v0/inboxes").await.refused(401, "unknown_api_key");
}

#[tokio::test]
async fn codes_that_cannot_be_mailed_hold_up_nobodys_mail() {
    let (server, agent) = server_and_agent().await;
    let database = server.database();
    database.execute("CREATE TABLE done (yes boolean)").await;
    // Whoever wants to read the codes waits until the table says that it is done.
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
    person(&server, "owner@example.org").await;
}
