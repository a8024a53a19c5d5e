//! Effect of reply lists on replies to own mail.

use inboxd_testkit::{MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use super::{add_entry, delete_entry};
use crate::support::server_and_agent;

/// Delivers a mail from bob that refers to a message, and returns whether it was blocked.
async fn is_blocked(server: &TestServer, agent: &Persona, subject: &str, field: &str, answered: &Value) -> bool {
    let mail = MailBuilder::new("Bob <bob@outside.example>", &agent.inbox_id, subject, "x")
        .header(field, answered.as_str().unwrap());
    assert_eq!(server.deliver("bob@outside.example", &[&agent.inbox_id], mail.raw()).await.code, 250);
    let list = agent.get(&agent.inbox("/messages?include_blocked=true&limit=200")).await.ok();
    let found = list["messages"].as_array().unwrap().iter().find(|message| message["subject"] == subject).cloned();
    found.unwrap()["labels"].as_array().unwrap().contains(&json!("blocked"))
}

#[tokio::test]
async fn reply_to_own_mail_is_checked_by_reply_instead_of_receive_allow() {
    let (server, agent) = server_and_agent().await;
    let ours = agent.send(json!({"to": "bob@outside.example", "text": "hello"})).await["message_id"].clone();
    add_entry(&agent, "", "receive/allow", "friends.example").await;
    assert!(!is_blocked(&server, &agent, "a1", "In-Reply-To", &ours).await);
    assert!(!is_blocked(&server, &agent, "a2", "References", &ours).await);
    // A reference to received or unknown mail makes no reply.
    assert!(is_blocked(&server, &agent, "a3", "In-Reply-To", &json!("<nothing@inboxd.localhost>")).await);
    let theirs = agent.message_about("a1").await["message_id"].clone();
    assert!(is_blocked(&server, &agent, "a4", "References", &theirs).await);

    add_entry(&agent, "", "reply/allow", "friends.example").await;
    assert!(is_blocked(&server, &agent, "a5", "In-Reply-To", &ours).await);
    add_entry(&agent, "", "reply/allow", "outside.example").await;
    assert!(!is_blocked(&server, &agent, "a6", "In-Reply-To", &ours).await);
    add_entry(&agent, &format!("/inboxes/{}", agent.inbox_id), "reply/block", "bob@outside.example").await;
    assert!(is_blocked(&server, &agent, "a7", "In-Reply-To", &ours).await);
}

#[tokio::test]
async fn receive_block_applies_to_replies_and_reply_block_only_to_replies() {
    let (server, agent) = server_and_agent().await;
    let ours = agent.send(json!({"to": "bob@outside.example", "text": "hello"})).await["message_id"].clone();
    let nothing = json!("<nothing@outside.example>");
    add_entry(&agent, "", "receive/block", "outside.example").await;
    assert!(is_blocked(&server, &agent, "b1", "In-Reply-To", &ours).await);
    delete_entry(&agent, "", "receive/block", "outside.example").await;
    add_entry(&agent, "", "reply/block", "outside.example").await;
    assert!(is_blocked(&server, &agent, "b2", "In-Reply-To", &ours).await);
    assert!(!is_blocked(&server, &agent, "b3", "In-Reply-To", &nothing).await);
}

#[tokio::test]
async fn mail_of_other_inbox_is_not_own_mail() {
    let (server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    let send = format!("/v0/inboxes/{}/messages/send", other["inbox_id"].as_str().unwrap());
    let theirs = agent.post(&send, json!({"to": "bob@outside.example", "text": "x"})).await.ok()["message_id"].clone();
    add_entry(&agent, "", "receive/allow", "friends.example").await;
    assert!(is_blocked(&server, &agent, "c1", "In-Reply-To", &theirs).await);
}
