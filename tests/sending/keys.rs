//! `Idempotency-Key`: a send that can be repeated for certain.

use std::time::Duration;

use inboxd_testkit::{Answer, Persona, Request, Web, eventually};
use serde_json::{Value, json};

use crate::support::{at_once, mail_to, options, receive, server, server_and_agent};

fn keyed(target: &str, key: &str, body: &Value) -> Request {
    Request::new("POST", target).header("Idempotency-Key", key).json(body)
}

/// A mail to send with a key.
fn mail(agent: &Persona, key: &str, subject: &str) -> Request {
    let body = json!({"to": "bob@outside.example", "subject": subject, "text": "hello"});
    keyed(&agent.inbox("/messages/send"), key, &body)
}

async fn sent(agent: &Persona) -> usize {
    let list = agent.get(&agent.inbox("/messages?labels=sent&limit=200")).await.ok();
    list["messages"].as_array().unwrap().len()
}

#[tokio::test]
async fn the_same_key_and_request_get_the_first_answer_on_every_send() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "question")).await;
    let question = agent.message_about("question").await["message_id"].clone();
    let draft = agent.post(&agent.inbox("/drafts"), json!({"to": "bob@outside.example", "text": "x"})).await.ok();
    let text = json!({"text": "hello"});
    let to = json!({"to": "bob@outside.example", "text": "hello"});
    let draft = agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    let sends = [
        (agent.inbox("/messages/send"), to.clone()),
        (agent.message(&question, "/reply"), text.clone()),
        (agent.message(&question, "/reply-all"), text),
        (agent.message(&question, "/forward"), to),
        (draft, json!({})),
    ];
    for (number, (target, body)) in sends.iter().enumerate() {
        let request = keyed(target, &format!("key {number}"), body);
        let first = agent.call(request.clone()).await.ok();
        for _ in 0..2 {
            assert_eq!(agent.call(request.clone()).await.ok(), first, "{target}");
        }
        assert_eq!(sent(&agent).await, number + 1, "{target}");
    }
}

#[tokio::test]
async fn the_same_key_with_another_request_is_a_conflict() {
    let (_server, agent) = server_and_agent().await;
    let first = agent.call(mail(&agent, "a", "one")).await.ok();
    let other = agent.call(mail(&agent, "a", "another")).await;
    other.refused(409, "conflict");
    assert_eq!(other.header("Retry-After"), None);
    let elsewhere = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok()["inbox_id"].clone();
    let target = format!("/v0/inboxes/{}/messages/send", elsewhere.as_str().unwrap());
    let body = json!({"to": "bob@outside.example", "subject": "one", "text": "hello"});
    agent.call(keyed(&target, "a", &body)).await.refused(409, "conflict");
    assert_eq!(agent.call(mail(&agent, "a", "one")).await.ok(), first, "the first is kept as it was");
    let with_another_key = agent.key_with("/v0/api-keys", json!({"name": "other"})).await;
    assert_eq!(with_another_key.call(mail(&agent, "a", "one")).await.ok(), first, "the organization shares its keys");
}

#[tokio::test]
async fn keys_belong_to_their_organization() {
    let server = server().await;
    let (one, other) =
        (server.verified("one@example.org", "one").await, server.verified("other@example.org", "other").await);
    one.call(mail(&one, "a", "x")).await.ok();
    other.call(mail(&other, "a", "y")).await.ok();
    assert_eq!((sent(&one).await, sent(&other).await), (1, 1));
}

#[tokio::test]
async fn a_bad_key_is_named_with_everything_else_that_is_wrong() {
    let (_server, agent) = server_and_agent().await;
    for key in ["", " ", &"x".repeat(256), "schlüssel"] {
        let refused = agent.call(mail(&agent, key, "x")).await;
        assert_eq!(refused.bad_fields(), ["Idempotency-Key"], "{key:?}");
        refused.refused(422, "validation_error");
    }
    let both = keyed(&agent.inbox("/messages/send"), "", &json!({"text": "to nobody"}));
    assert_eq!(agent.call(both).await.bad_fields(), ["Idempotency-Key", "to"]);
    let twice = mail(&agent, "a", "x").header("Idempotency-Key", "b");
    assert_eq!(agent.call(twice).await.bad_fields(), ["Idempotency-Key"]);
    assert_eq!(sent(&agent).await, 0);
    agent.call(mail(&agent, &"x".repeat(255), "x")).await.ok();
}

#[tokio::test]
async fn only_accepted_answers_are_kept() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.call(mail(&agent, "a", "x")).await.refused(403, "organization_unverified");
    agent.verify().await;
    agent.call(mail(&agent, "a", "x")).await.ok();
    assert_eq!(sent(&agent).await, 1);
}

#[tokio::test]
async fn a_key_whose_send_is_running_is_a_conflict_that_says_when_to_come_back() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = Web::held("text/plain", b"attached").await;
    let request = slow(&agent, &web);
    // Whether its client is still there or not.
    let left = agent.begin(request.clone()).await;
    asked(&web).await;
    drop(left);
    let running = agent.call(request.clone()).await;
    running.refused(409, "conflict");
    assert_eq!(running.header("Retry-After"), Some("1"));
    web.release();
    let sent = settled(&agent, &request).await.ok();
    assert_eq!(agent.message_about("slow").await["message_id"], sent["message_id"]);
    assert_eq!((web.asked(), agent.messages().await.len()), (1, 1));
}

/// A mail whose send takes as long as the page is held.
fn slow(agent: &Persona, web: &Web) -> Request {
    let attachments = json!([{"url": web.url(), "filename": "page.txt"}]);
    let body = json!({"to": "bob@outside.example", "subject": "slow", "text": "x", "attachments": attachments});
    keyed(&agent.inbox("/messages/send"), "slow", &body)
}

async fn asked(web: &Web) {
    eventually("the page is asked for", async || (web.asked() == 1).then_some(())).await;
}

/// Repeats a request for as long as it is said to be running.
async fn settled(agent: &Persona, request: &Request) -> Answer {
    eventually("the send has ended", async || {
        let answer = agent.call(request.clone()).await;
        (answer.status != 409).then_some(answer)
    })
    .await
}

#[tokio::test]
async fn a_key_sends_once_in_all_processes_together() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let one = options().set("INBOXD_SECRET_KEY", secret).start().await;
    let beside = options().set("INBOXD_ROLES", "http").set("INBOXD_SECRET_KEY", secret);
    let other = beside.set("INBOXD_DATABASE_URL", one.database().url()).start().await;
    let agent = one.verified("owner@example.org", "scout").await;
    let there = agent.at(&other);
    let answers = at_once((0..20).map(|number| {
        let agent = if number % 2 == 0 { agent.clone() } else { there.clone() };
        let request = mail(&agent, "a", "once");
        async move { agent.call(request).await }
    }))
    .await;
    let first = settled(&there, &mail(&agent, "a", "once")).await.ok();
    for answer in answers {
        if answer.status == 200 {
            assert_eq!(answer.ok(), first);
        } else {
            answer.refused(409, "conflict");
        }
    }
    assert_eq!(sent(&agent).await, 1);
}

#[tokio::test]
async fn key_in_hand_of_a_killed_process_is_free_after_its_restart() {
    let mut server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = Web::held("text/plain", b"attached").await;
    let request = slow(&agent, &web);
    let _cut = agent.begin(request.clone()).await;
    asked(&web).await;
    server.kill_9().await;
    server.restart().await;
    let agent = agent.at(&server);
    web.release();
    let first = settled(&agent, &request).await.ok();
    assert_eq!(agent.call(request).await.ok(), first);
    assert_eq!(sent(&agent).await, 1);
}

#[tokio::test]
async fn keys_are_kept_for_24_hours_and_then_forgotten() {
    let (server, agent) = server_and_agent().await;
    let first = agent.call(mail(&agent, "a", "x")).await.ok();
    server.database().execute("UPDATE send_keys SET used_at = used_at - interval '23 hours 59 minutes'").await;
    assert_eq!(agent.call(mail(&agent, "a", "x")).await.ok(), first);
    server.database().execute("UPDATE send_keys SET used_at = used_at - interval '1 minute'").await;
    let second = agent.call(mail(&agent, "a", "x")).await.ok();
    assert_ne!(second["message_id"], first["message_id"]);
    server.database().execute("UPDATE send_keys SET used_at = used_at - interval '24 hours'").await;
    let none = "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM send_keys); END $$";
    for _ in 0..60 {
        if server.database().try_execute(none).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("the worker leaves old keys where they are");
}
