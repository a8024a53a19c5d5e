//! Received codes that an agent tries to learn from the policies, or to carry out after their mail is gone.

use inboxd_testkit::{HttpClient, MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use crate::support::{receive, server_and_agent};

/// Receives a mail with the code 482913 and returns it.
async fn receive_code(server: &TestServer, agent: &Persona) -> Value {
    let mail = MailBuilder::new("shop@outside.example", &agent.inbox_id, "Sign in", "Your verification code is 482913");
    receive(server, agent, &mail).await;
    agent.message_about("Sign in").await
}

/// Returns the result of a dry run of a message with the code.
async fn tried(caller: &HttpClient, agent: &Persona) -> Value {
    let body = json!({"to": "bob@outside.example", "text": "the code is 482913", "dry_run": true});
    caller.post(&agent.inbox("/messages/send"), body).await.ok()["result"].clone()
}

#[tokio::test]
async fn dry_run_tells_no_code_that_its_caller_may_not_read() {
    let (server, agent) = server_and_agent().await;
    let message = receive_code(&server, &agent).await;
    let key = async |permissions: Value| {
        agent.create_key("/v0/api-keys", json!({"name": "sender", "permissions": permissions})).await
    };
    let sender = key(json!({"inbox_read": true, "message_send": true})).await;
    let reader = key(json!({"inbox_read": true, "message_send": true, "message_read": true})).await;
    assert_eq!((tried(&sender, &agent).await, tried(&reader, &agent).await), (json!("send"), json!("hold")));

    agent.patch(&agent.message(&message["message_id"], ""), json!({"add_labels": ["trash"]})).await.ok();
    assert_eq!((tried(&reader, &agent).await, tried(&agent, &agent).await), (json!("send"), json!("hold")));
    // What leaves is judged by all mail, also by what the sender hid from itself.
    for sender in [&reader, &sender] {
        let body = json!({"to": "bob@outside.example", "text": "the code is 482913"});
        assert_eq!(sender.post(&agent.inbox("/messages/send"), body).await.status, 202);
    }
}

#[tokio::test]
async fn dry_runs_of_an_inbox_are_bounded() {
    let (_server, agent) = server_and_agent().await;
    for _ in 0..60 {
        assert_eq!(tried(&agent, &agent).await, "send");
    }
    let body = json!({"to": "bob@outside.example", "text": "x", "dry_run": true});
    agent.post(&agent.inbox("/messages/send"), body).await.require_error(429, "too_many_requests");
}

#[tokio::test]
async fn code_of_deleted_or_redacted_mail_is_held_for_a_day() {
    let (server, agent) = server_and_agent().await;
    let message = receive_code(&server, &agent).await;
    agent.post(&agent.message(&message["message_id"], "/redact"), json!({})).await.ok();
    assert_eq!(tried(&agent, &agent).await, "hold");
    agent.delete(&agent.message(&message["message_id"], "")).await.require_no_content();
    assert_eq!(tried(&agent, &agent).await, "hold");
    let body = json!({"to": "bob@outside.example", "text": "the code is 482-913"});
    assert_eq!(agent.post(&agent.inbox("/messages/send"), body).await.status, 202);

    // No plain code is stored: without such a row, the division fails.
    let unreadable =
        "SELECT 1 / (count(*) FILTER (WHERE position('482913'::bytea IN sealed) = 0))::integer FROM received_codes";
    server.database().execute(unreadable).await;
    server.database().execute("UPDATE received_codes SET received_at = received_at - interval '24 hours'").await;
    assert_eq!(tried(&agent, &agent).await, "send");
}
