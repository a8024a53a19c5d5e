//! `Idempotency-Key`: repeatable sends.

use inboxd_testkit::{ApiResponse, FileServer, HttpRequest, Persona, eventually};
use serde_json::{Value, json};

use crate::support::{mail_to, options, receive, run_concurrently, second_process, server, server_and_agent};

fn request_with_key(target: &str, key: &str, body: &Value) -> HttpRequest {
    HttpRequest::new("POST", target).header("Idempotency-Key", key).json(body)
}

/// Creates a send request with a key.
fn mail_request(agent: &Persona, key: &str, subject: &str) -> HttpRequest {
    let body = json!({"to": "bob@outside.example", "subject": subject, "text": "hello"});
    request_with_key(&agent.inbox("/messages/send"), key, &body)
}

async fn sent_count(agent: &Persona) -> usize {
    let list = agent.get(&agent.inbox("/messages?labels=sent&limit=200")).await.ok();
    list["messages"].as_array().unwrap().len()
}

#[tokio::test]
async fn repeated_key_returns_first_response_for_every_send_method() {
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
        let request = request_with_key(target, &format!("key {number}"), body);
        let first = agent.call(request.clone()).await.ok();
        for _ in 0..2 {
            assert_eq!(agent.call(request.clone()).await.ok(), first, "{target}");
        }
        assert_eq!(sent_count(&agent).await, number + 1, "{target}");
    }
}

#[tokio::test]
async fn key_with_different_request_conflicts() {
    let (_server, agent) = server_and_agent().await;
    let first = agent.call(mail_request(&agent, "a", "one")).await.ok();
    let other = agent.call(mail_request(&agent, "a", "another")).await;
    other.require_error(409, "conflict");
    assert_eq!(other.header("Retry-After"), None);
    let elsewhere = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok()["inbox_id"].clone();
    let target = format!("/v0/inboxes/{}/messages/send", elsewhere.as_str().unwrap());
    let body = json!({"to": "bob@outside.example", "subject": "one", "text": "hello"});
    agent.call(request_with_key(&target, "a", &body)).await.require_error(409, "conflict");
    assert_eq!(agent.call(mail_request(&agent, "a", "one")).await.ok(), first, "the first response is unchanged");
    let with_another_key = agent.create_key("/v0/api-keys", json!({"name": "other"})).await;
    assert_eq!(
        with_another_key.call(mail_request(&agent, "a", "one")).await.ok(),
        first,
        "keys are shared within the organization"
    );
}

#[tokio::test]
async fn idempotency_keys_are_separate_for_each_organization() {
    let server = server().await;
    let (one, other) =
        (server.verified("one@example.org", "one").await, server.verified("other@example.org", "other").await);
    one.call(mail_request(&one, "a", "x")).await.ok();
    other.call(mail_request(&other, "a", "y")).await.ok();
    assert_eq!((sent_count(&one).await, sent_count(&other).await), (1, 1));
}

#[tokio::test]
async fn invalid_key_is_named_with_other_invalid_fields() {
    let (_server, agent) = server_and_agent().await;
    for key in ["", " ", &"x".repeat(256), "schlüssel"] {
        let refused = agent.call(mail_request(&agent, key, "x")).await;
        assert_eq!(refused.bad_fields(), ["Idempotency-Key"], "{key:?}");
        refused.require_error(422, "validation_error");
    }
    let both = request_with_key(&agent.inbox("/messages/send"), "", &json!({"text": "to nobody"}));
    assert_eq!(agent.call(both).await.bad_fields(), ["Idempotency-Key", "to"]);
    let twice = mail_request(&agent, "a", "x").header("Idempotency-Key", "b");
    assert_eq!(agent.call(twice).await.bad_fields(), ["Idempotency-Key"]);
    assert_eq!(sent_count(&agent).await, 0);
    agent.call(mail_request(&agent, &"x".repeat(255), "x")).await.ok();
}

#[tokio::test]
async fn only_success_responses_are_stored() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.call(mail_request(&agent, "a", "x")).await.require_error(403, "organization_unverified");
    agent.verify().await;
    agent.call(mail_request(&agent, "a", "x")).await.ok();
    assert_eq!(sent_count(&agent).await, 1);
}

#[tokio::test]
async fn key_of_running_send_conflicts_with_retry_after() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = FileServer::start_held("text/plain", b"attached").await;
    let request = slow_request(&agent, &web);
    // The client of the running send may be connected or not.
    let left = agent.start_request(request.clone()).await;
    wait_for_request(&web).await;
    drop(left);
    let running = agent.call(request.clone()).await;
    running.require_error(409, "conflict");
    assert_eq!(running.header("Retry-After"), Some("1"));
    web.release();
    let sent = retry_until_settled(&agent, &request).await.ok();
    assert_eq!(agent.message_about("slow").await["message_id"], sent["message_id"]);
    assert_eq!((web.request_count(), agent.messages().await.len()), (1, 1));
}

/// Creates a message whose send lasts until the file server is released.
fn slow_request(agent: &Persona, web: &FileServer) -> HttpRequest {
    let attachments = json!([{"url": web.url(), "filename": "page.txt"}]);
    let body = json!({"to": "bob@outside.example", "subject": "slow", "text": "x", "attachments": attachments});
    request_with_key(&agent.inbox("/messages/send"), "slow", &body)
}

async fn wait_for_request(web: &FileServer) {
    eventually("the URL is requested", async || (web.request_count() == 1).then_some(())).await;
}

/// Repeats a request until the first send has ended.
async fn retry_until_settled(agent: &Persona, request: &HttpRequest) -> ApiResponse {
    eventually("the send has ended", async || {
        let answer = agent.call(request.clone()).await;
        (answer.status != 409).then_some(answer)
    })
    .await
}

#[tokio::test]
async fn key_sends_once_across_processes() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let one = options().set("INBOXD_SECRET_KEY", secret).start().await;
    let beside = options().set("INBOXD_ROLES", "http").set("INBOXD_SECRET_KEY", secret);
    let other = beside.set("INBOXD_DATABASE_URL", one.database().url()).start().await;
    let agent = one.verified("owner@example.org", "scout").await;
    let there = agent.at(&other);
    let answers = run_concurrently((0..20).map(|number| {
        let agent = if number % 2 == 0 { agent.clone() } else { there.clone() };
        let request = mail_request(&agent, "a", "once");
        async move { agent.call(request).await }
    }))
    .await;
    let first = retry_until_settled(&there, &mail_request(&agent, "a", "once")).await.ok();
    for answer in answers {
        if answer.status == 200 {
            assert_eq!(answer.ok(), first);
        } else {
            answer.require_error(409, "conflict");
        }
    }
    assert_eq!(sent_count(&agent).await, 1);
}

#[tokio::test]
async fn key_claimed_by_killed_process_is_free_after_restart() {
    let mut server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = FileServer::start_held("text/plain", b"attached").await;
    let request = slow_request(&agent, &web);
    let _cut = agent.start_request(request.clone()).await;
    wait_for_request(&web).await;
    server.kill().await;
    server.restart().await;
    let agent = agent.at(&server);
    web.release();
    let first = retry_until_settled(&agent, &request).await.ok();
    assert_eq!(agent.call(request).await.ok(), first);
    assert_eq!(sent_count(&agent).await, 1);
}

#[tokio::test]
async fn keys_expire_after_24_hours() {
    let (server, agent) = server_and_agent().await;
    let first = agent.call(mail_request(&agent, "a", "x")).await.ok();
    server.database().execute("UPDATE send_keys SET used_at = used_at - interval '23 hours 59 minutes'").await;
    assert_eq!(agent.call(mail_request(&agent, "a", "x")).await.ok(), first);
    server.database().execute("UPDATE send_keys SET used_at = used_at - interval '1 minute'").await;
    let second = agent.call(mail_request(&agent, "a", "x")).await.ok();
    assert_ne!(second["message_id"], first["message_id"]);
    server.database().execute("UPDATE send_keys SET used_at = used_at - interval '24 hours'").await;
    // A worker purges when it starts, and then at an interval.
    let _worker = second_process(&server).set("INBOXD_ROLES", "worker").start().await;
    let none = "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM send_keys); END $$";
    eventually("the worker purges old keys", async || server.database().try_execute(none).await.ok()).await;
}
