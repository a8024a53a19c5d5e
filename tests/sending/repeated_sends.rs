//! Repeated sends: a deliberate one is a new message, a retry without a response is not, and refusals are not stored.

use std::time::Duration;

use inboxd_testkit::{FileServer, HttpClient, HttpRequest, Persona, TestServer, eventually};
use serde_json::json;

use crate::support::{options, server_and_agent};

#[tokio::test]
async fn equal_send_after_response_is_new_message() {
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
    let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).json(&body);
    agent.call(request.clone()).await.require_error(403, "organization_unverified");
    agent.verify().await;
    agent.call(request).await.ok();
}

/// A server with allowed local URLs, an agent, a file server, and a message whose send lasts until the file is
/// released.
async fn slow_send() -> (TestServer, Persona, FileServer, HttpRequest) {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let web = FileServer::start_held("text/plain", b"attached").await;
    let attachments = json!([{"url": web.url(), "filename": "page.txt"}]);
    let body = json!({"to": "bob@outside.example", "subject": "slow", "text": "x", "attachments": attachments});
    let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).json(&body);
    (server, agent, web, request)
}

async fn wait_for_requests(web: &FileServer, times: usize) {
    eventually("the URL is requested", async || (web.request_count() == times).then_some(())).await;
}

#[tokio::test]
async fn equal_send_during_first_returns_its_result() {
    let (_server, agent, web, request) = slow_send().await;
    let call = |caller: &HttpClient| {
        let (caller, request) = (caller.clone(), request.clone());
        tokio::spawn(async move { caller.call(request).await.ok() })
    };
    let first = call(&agent);
    wait_for_requests(&web, 1).await;
    let repeats: Vec<_> = (0..3).map(|_| call(&agent)).collect();
    // Another API key makes it a different message.
    let other = call(&agent.create_key("/v0/api-keys", json!({"name": "other"})).await);
    wait_for_requests(&web, 2).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    web.release();
    let (first, other) = (first.await.unwrap(), other.await.unwrap());
    for repeat in repeats {
        assert_eq!(repeat.await.unwrap(), first);
    }
    assert_ne!(other["message_id"], first["message_id"]);
    assert_eq!((web.request_count(), agent.messages().await.len()), (2, 2));
    let deliberate = agent.call(request.clone()).await.ok();
    assert_ne!(deliberate["message_id"], first["message_id"]);
}

#[tokio::test]
async fn retry_after_lost_connection_returns_first_result() {
    let (_server, agent, web, request) = slow_send().await;
    let closed = agent.start_request(request.clone()).await;
    wait_for_requests(&web, 1).await;
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
async fn repeated_disconnects_send_one_message() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "again", "text": "hello"});
    let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).json(&body);
    for _ in 0..3 {
        drop(agent.start_request(request.clone()).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let answered = agent.call(request).await.ok();
    let messages = agent.messages().await;
    assert_eq!(messages.len(), 1, "{messages:#?}");
    assert_eq!(messages[0]["message_id"], answered["message_id"]);
}

#[tokio::test]
async fn unread_response_is_returned_again_after_close() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "unread", "text": "hello"});
    let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).json(&body);
    let stream = agent.start_request(request.clone()).await;
    stream.peek(&mut [0]).await.unwrap();
    drop(stream);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let repeated = agent.call(request).await.ok();
    let messages = agent.messages().await;
    assert_eq!(messages.len(), 1, "{messages:#?}");
    assert_eq!(messages[0]["message_id"], repeated["message_id"]);
}
