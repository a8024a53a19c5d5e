//! Retries after temporary failures.

use serde_json::json;

use super::{server_with_relay, wait_for_event};
use crate::support::options;
use inboxd_testkit::RelayServer;

#[tokio::test]
async fn deferred_recipient_is_retried_and_others_receive_once() {
    let (relay, _server, agent) = server_with_relay().await;
    relay.reply_once("busy@outside.example", "451 4.7.1 try again later");
    let to = ["bob@outside.example", "busy@outside.example"];
    let sent = agent.send(json!({"to": to, "subject": "patience", "text": "hello"})).await;
    inboxd_testkit::eventually("both recipients have it", async || (relay.mails().len() >= 3).then_some(())).await;
    let recipients: Vec<String> = relay.mails().into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(recipients, ["owner@example.org", "bob@outside.example", "busy@outside.example"]);
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
    let events = agent.get("/v0/events?event_types=message.bounced").await.ok();
    assert_eq!(events["count"], 0);
}

#[tokio::test]
async fn mail_is_retried_after_relay_disconnect() {
    let (relay, server, agent) = server_with_relay().await;
    relay.disconnect_once("bob@outside.example");
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "again", "text": "hello"})).await;
    server.log().entry("the first attempt", |entry| entry["deferred"] == 1).await;
    server.database().execute("UPDATE outgoing SET due_at = now() WHERE claim_id IS NULL").await;
    relay.mail_about("again").await;
    wait_for_event(&agent, "message.delivered", &sent["message_id"]).await;
}

#[tokio::test]
async fn accepted_mail_survives_kill_and_relay_outage() {
    // No server listens at this address yet.
    let relay = RelayServer::start().await;
    let url = relay.url();
    drop(relay);
    let mut server = options().set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", url.clone()).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.send(json!({"to": "owner@example.org", "subject": "kept", "text": "hello"})).await;
    server.kill().await;
    let relay = RelayServer::start_at(&url).await;
    server.restart().await;
    relay.mail_about("kept").await;
    relay.code_for("owner@example.org").await;
}
