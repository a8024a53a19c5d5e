//! `DELETE /v0/inboxes/{inbox_id}`.

use serde_json::json;

use crate::support::{mail_to, receive, server_and_agent};

#[tokio::test]
async fn a_deleted_inbox_is_gone_with_all_that_was_in_it() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let desk = "/v0/inboxes/desk@inboxd.localhost";
    let mail = mail_to(&agent, "hello").id("<hello@outside.example>").raw();
    server.deliver("alice@outside.example", &["desk@inboxd.localhost"], mail).await.is(250, "2");
    let stored = agent.get("/v0/organizations").await.ok()["storage_bytes"].as_u64();
    assert!(stored > Some(0), "{stored:?}");

    agent.delete(desk).await.gone();
    for rest in
        ["", "/messages", "/messages/search?q=a", "/messages/%3Chello@outside.example%3E", "/threads", "/api-keys"]
    {
        agent.get(&format!("{desk}{rest}")).await.refused(404, "not_found");
    }
    agent.delete(desk).await.refused(404, "not_found");
    assert_eq!(agent.get("/v0/organizations").await.ok()["storage_bytes"], 0);
    assert_eq!(agent.get("/v0/organizations").await.ok()["inbox_count"], 1);
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.is(550, "5.1.1");
}

#[tokio::test]
async fn its_address_stays_claimed() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.gone();
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.refused(409, "address_taken");
    let other = server.verified("other@example.org", "ranger").await;
    other.post("/v0/inboxes", json!({"username": "desk"})).await.refused(409, "address_taken");
}

#[tokio::test]
async fn mail_on_its_way_when_the_inbox_goes_is_stored_or_refused_but_never_lost() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command("MAIL FROM:<alice@outside.example>").await.is(250, "2");
    client.command("RCPT TO:<desk@inboxd.localhost>").await.is(250, "2");
    client.command("DATA").await;
    agent.delete("/v0/inboxes/desk@inboxd.localhost").await.gone();
    client.write(b"Subject: late\r\n\r\nlate\r\n.\r\n").await;
    client.reply().await.is(550, "5.1.1");
}

#[tokio::test]
async fn what_was_in_it_is_removed_from_the_database_soon() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "secret plan")).await;
    agent.delete(&agent.inbox("")).await.gone();
    let is_empty = "DO $$ BEGIN IF EXISTS (SELECT FROM message_bodies) OR EXISTS (SELECT FROM messages) \
                    OR EXISTS (SELECT FROM threads) THEN RAISE EXCEPTION 'not yet'; END IF; END $$";
    inboxd_testkit::eventually("the mail is removed", async || server.database().try_execute(is_empty).await.ok())
        .await;
}
