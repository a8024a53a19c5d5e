//! 429 `storage_limit_reached`.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn over_the_allowance_nothing_is_sent_or_made_but_mail_still_comes_in() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "before")).await;
    server.database().execute("UPDATE inbox_usage SET storage_bytes = storage_bytes + 1000000000").await;
    let send = agent.inbox("/messages/send");
    let answer = agent.post(&send, json!({"to": "bob@outside.example", "text": "hello"})).await;
    assert_eq!(answer.refused(429, "storage_limit_reached")["name"], "RateLimitError");
    let message = agent.message_about("before").await;
    let reply = agent.message(&message["message_id"], "/reply");
    agent.post(&reply, json!({"text": "hello"})).await.refused(429, "storage_limit_reached");
    agent.post("/v0/inboxes", json!({})).await.refused(429, "storage_limit_reached");
    receive(&server, &agent, &mail_to(&agent, "during")).await;
    assert_eq!(agent.messages().await.len(), 2);
}

#[tokio::test]
async fn deleting_frees_space_at_once() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "large")).await;
    // As if this one mail had filled the allowance to its last octet.
    let message = agent.message_about("large").await;
    server.database().execute("UPDATE inbox_usage SET storage_bytes = 1000000000").await;
    let send = agent.inbox("/messages/send");
    let body = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&send, body.clone()).await.refused(429, "storage_limit_reached");
    agent.delete(&agent.message(&message["message_id"], "")).await.gone();
    agent.post(&send, body).await.ok();
}
