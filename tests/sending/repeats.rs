//! A deliberate repeat is a new mail, one of a client that got no answer is not, and a refusal is not remembered.

use std::time::Duration;

use inboxd_testkit::{Http, Persona, Request, Server, Web, eventually};
use serde_json::json;

use crate::support::{options, server_and_agent};

#[tokio::test]
async fn the_same_mail_sent_again_after_its_answer_is_a_second_mail() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "again", "text": "hello"});
    let (first, second) = (agent.send(body.clone()).await, agent.send(body).await);
    assert_ne!(first["message_id"], second["message_id"]);
}

#[tokio::test]
async fn refusals_are_never_replayed() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let body = json!({"to": "bob@outside.example", "text": "hello"});
    let request = Request::new("POST", &agent.inbox("/messages/send")).json(&body);
    agent.call(request.clone()).await.refused(403, "organization_unverified");
    agent.verify().await;
    agent.call(request).await.ok();
}

/// A server that reads attachments from a page nearby, an agent, that page, and a mail with it: its send takes as long as
/// the page is held.
async fn slow_send() -> (Server, Persona, Web, Request) {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = Web::held("text/plain", b"attached").await;
    let attachments = json!([{"url": web.url(), "filename": "page.txt"}]);
    let body = json!({"to": "bob@outside.example", "subject": "slow", "text": "x", "attachments": attachments});
    let request = Request::new("POST", &agent.inbox("/messages/send")).json(&body);
    (server, agent, web, request)
}

async fn asked(web: &Web, times: usize) {
    eventually("the page is asked for", async || (web.asked() == times).then_some(())).await;
}

#[tokio::test]
async fn a_send_repeated_byte_for_byte_while_the_first_is_running_is_answered_its_result() {
    let (_server, agent, web, request) = slow_send().await;
    let call = |caller: &Http| {
        let (caller, request) = (caller.clone(), request.clone());
        tokio::spawn(async move { caller.call(request).await.ok() })
    };
    let first = call(&agent);
    asked(&web, 1).await;
    let repeats: Vec<_> = (0..3).map(|_| call(&agent)).collect();
    // Another credential makes it another mail.
    let other = call(&agent.key_with("/v0/api-keys", json!({"name": "other"})).await);
    asked(&web, 2).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    web.release();
    let (first, other) = (first.await.unwrap(), other.await.unwrap());
    for repeat in repeats {
        assert_eq!(repeat.await.unwrap(), first);
    }
    assert_ne!(other["message_id"], first["message_id"]);
    assert_eq!((web.asked(), agent.messages().await.len()), (2, 2));
    let deliberate = agent.call(request.clone()).await.ok();
    assert_ne!(deliberate["message_id"], first["message_id"]);
}

#[tokio::test]
async fn a_send_whose_connection_closed_before_its_answer_is_answered_the_first_result_when_repeated() {
    let (_server, agent, web, request) = slow_send().await;
    let closed = agent.begin(request.clone()).await;
    asked(&web, 1).await;
    drop(closed);
    web.release();
    let sent = eventually("the mail is sent", async || agent.messages().await.first().cloned()).await;
    let repeated = agent.call(request.clone()).await.ok();
    assert_eq!(repeated["message_id"], sent["message_id"]);
    let deliberate = agent.call(request).await.ok();
    assert_ne!(
        deliberate["message_id"], sent["message_id"],
        "a deliberate repeat after a delivered answer is a new mail"
    );
    assert_eq!(agent.messages().await.len(), 2);
}

#[tokio::test]
async fn a_client_that_hangs_up_at_once_has_sent_one_mail_however_often_it_does_so() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "again", "text": "hello"});
    let request = Request::new("POST", &agent.inbox("/messages/send")).json(&body);
    for _ in 0..3 {
        drop(agent.begin(request.clone()).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let answered = agent.call(request).await.ok();
    let messages = agent.messages().await;
    assert_eq!(messages.len(), 1, "{messages:#?}");
    assert_eq!(messages[0]["message_id"], answered["message_id"]);
}

#[tokio::test]
async fn an_answer_that_arrived_and_was_not_read_before_the_connection_closed_is_given_again() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "unread", "text": "hello"});
    let request = Request::new("POST", &agent.inbox("/messages/send")).json(&body);
    let stream = agent.begin(request.clone()).await;
    stream.peek(&mut [0]).await.unwrap();
    drop(stream);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let repeated = agent.call(request).await.ok();
    let messages = agent.messages().await;
    assert_eq!(messages.len(), 1, "{messages:#?}");
    assert_eq!(messages[0]["message_id"], repeated["message_id"]);
}
