//! `DELETE /v0/inboxes/{inbox_id}`.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent, worker_beside};

#[tokio::test]
async fn deleted_inbox_disappears_with_its_content() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let desk = "/v0/inboxes/desk@inboxd.localhost";
    let mail = mail_to(&agent, "hello").id("<hello@outside.example>").raw();
    server.deliver("alice@outside.example", &["desk@inboxd.localhost"], mail).await.require_code(250, "2");
    let stored = agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64();
    assert!(stored > Some(0), "{stored:?}");

    agent.delete(desk).await.require_no_content();
    for rest in
        ["", "/messages", "/messages/search?q=a", "/messages/%3Chello@outside.example%3E", "/threads", "/api-keys"]
    {
        agent.get(&format!("{desk}{rest}")).await.require_error(404, "not_found");
    }
    agent.delete(desk).await.require_error(404, "not_found");
    assert_eq!(agent.get("/v0/organizations").await.ok()["storage_bytes"], 0);
    assert_eq!(agent.get("/v0/organizations").await.ok()["inbox_count"], 1);
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.require_code(550, "5.1.1");
}

#[tokio::test]
async fn address_of_deleted_inbox_stays_reserved() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.require_no_content();
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.require_error(409, "address_taken");
    let other = server.verified("other@example.org", "ranger").await;
    other.post("/v0/inboxes", json!({"username": "desk"})).await.require_error(409, "address_taken");
}

#[tokio::test]
async fn mail_during_inbox_deletion_is_stored_or_refused() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.require_code(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.require_code(250, "2");
    client.command("DATA").await;
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.require_no_content();
    client.write(b"Subject: late\r\n\r\nlate\r\n.\r\n").await;
    client.reply().await.require_code(550, "5.1.1");
}

#[tokio::test]
async fn content_of_deleted_inbox_is_purged() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "secret plan")).await;
    agent.delete(&agent.inbox("")).await.require_no_content();
    let _worker = worker_beside(&server).await;
    let is_empty = "DO $$ BEGIN IF EXISTS (SELECT FROM message_bodies) OR EXISTS (SELECT FROM messages) \
                    OR EXISTS (SELECT FROM threads) THEN RAISE EXCEPTION 'not yet'; END IF; END $$";
    inboxd_testkit::eventually("the messages are purged", async || server.database().try_execute(is_empty).await.ok())
        .await;
}
