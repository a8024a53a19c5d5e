//! Retransmitted mail after a lost 250, and mail that only resembles it.

use inboxd_testkit::SmtpClient;
use tokio::task::JoinSet;

use crate::support::{mail_to, server_and_agent};

const FROM: &str = "alice@outside.example";

#[tokio::test]
async fn retransmitted_mail_is_replied_250_and_stored_once() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "once").id("<once@outside.example>").raw();
    for _ in 0..3 {
        server.deliver(FROM, &[&agent.inbox_id], mail.clone()).await.require_code(250, "2.0.0");
    }
    assert_eq!(agent.messages().await.len(), 1);
    assert_eq!(agent.get("/v0/events").await.ok()["count"], 1);
}

#[tokio::test]
async fn concurrent_retransmissions_are_stored_once() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "once").id("<once@outside.example>").raw();
    let mut deliveries = JoinSet::new();
    for _ in 0..20 {
        let (address, inbox, mail) = (server.smtp_address().to_owned(), agent.inbox_id.clone(), mail.clone());
        deliveries.spawn(async move {
            let mut client = SmtpClient::connect(&address).await;
            client.ehlo().await;
            client.deliver(FROM, &[&inbox], &mail).await.code
        });
    }
    assert_eq!(deliveries.join_all().await, [250; 20]);
    assert_eq!(agent.messages().await.len(), 1);
    let size = agent.messages().await[0]["size"].clone();
    assert_eq!(agent.get("/v0/organizations").await.ok()["storage_bytes"], size);
}

#[tokio::test]
async fn different_mail_with_same_message_id_is_stored_under_new_id() {
    let (server, agent) = server_and_agent().await;
    let id = "<same@outside.example>";
    server.deliver(FROM, &[&agent.inbox_id], mail_to(&agent, "first").id(id).raw()).await.require_code(250, "2");
    let second = mail_to(&agent, "second").id(id).raw();
    for _ in 0..2 {
        server.deliver(FROM, &[&agent.inbox_id], second.clone()).await.require_code(250, "2");
    }
    // The same bytes from another sender are a different mail.
    server.deliver("mallory@outside.example", &[&agent.inbox_id], second).await.require_code(250, "2");
    let messages = agent.messages().await;
    assert_eq!(messages.len(), 3, "{messages:#?}");
    assert_eq!(messages[2]["message_id"], id);
    let stored = agent.get(&agent.message(&messages[1]["message_id"], "")).await.ok();
    assert_ne!(stored["message_id"], id);
    assert_eq!(stored["headers"]["Message-ID"], id, "the header is unchanged: {stored:#}");
    // A reply to it refers to the Message-ID that external systems know.
    let reply = mail_to(&agent, "third").header("In-Reply-To", id).raw();
    server.deliver(FROM, &[&agent.inbox_id], reply).await.require_code(250, "2");
}

#[tokio::test]
async fn mail_without_message_id_gets_generated_one() {
    let (server, agent) = server_and_agent().await;
    for subject in ["one", "two"] {
        server.deliver(FROM, &[&agent.inbox_id], mail_to(&agent, subject).raw()).await.require_code(250, "2");
        let id = agent.message_about(subject).await["message_id"].as_str().unwrap().to_owned();
        let local = id.trim_start_matches('<').split('@').next().unwrap();
        assert!(local.bytes().all(|c| c.is_ascii_alphanumeric() || b"._-".contains(&c)), "{id}");
    }
}

#[tokio::test]
async fn deleted_mail_can_be_received_again() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "back").id("<back@outside.example>").raw();
    server.deliver(FROM, &[&agent.inbox_id], mail.clone()).await.require_code(250, "2");
    agent.delete(&agent.inbox("/messages/back@outside.example")).await.require_no_content();
    server.deliver(FROM, &[&agent.inbox_id], mail).await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}
