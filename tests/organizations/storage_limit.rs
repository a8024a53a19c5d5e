//! 429 `storage_limit_reached`.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn over_storage_limit_mail_is_received_but_writes_are_refused() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "before")).await;
    server.database().execute("UPDATE inbox_usage SET storage_bytes = storage_bytes + 1000000000").await;
    let send = agent.inbox("/messages/send");
    let answer = agent.post(&send, json!({"to": "bob@outside.example", "text": "hello"})).await;
    assert_eq!(answer.require_error(429, "storage_limit_reached")["name"], "RateLimitError");
    let message = agent.message_about("before").await;
    let reply = agent.message(&message["message_id"], "/reply");
    agent.post(&reply, json!({"text": "hello"})).await.require_error(429, "storage_limit_reached");
    agent.post("/v0/inboxes", json!({})).await.require_error(429, "storage_limit_reached");
    receive(&server, &agent, &mail_to(&agent, "during")).await;
    assert_eq!(agent.messages().await.len(), 2);
}

#[tokio::test]
async fn deletion_frees_space_immediately() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "large")).await;
    // This message alone has used the storage limit to the last byte.
    let message = agent.message_about("large").await;
    server.database().execute("UPDATE inbox_usage SET storage_bytes = 1000000000").await;
    let send = agent.inbox("/messages/send");
    let body = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&send, body.clone()).await.require_error(429, "storage_limit_reached");
    agent.delete(&agent.message(&message["message_id"], "")).await.require_no_content();
    agent.post(&send, body).await.ok();
}
