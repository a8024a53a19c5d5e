//! Temporary failures are tried again.

use serde_json::json;

use super::{event, relayed};
use crate::support::options;
use inboxd_testkit::Relay;

#[tokio::test]
async fn a_recipient_that_is_busy_gets_the_mail_later_and_the_others_only_once() {
    let (relay, _server, agent) = relayed().await;
    relay.answer_once("busy@outside.example", "451 4.7.1 try again later");
    let to = ["bob@outside.example", "busy@outside.example"];
    let sent = agent.send(json!({"to": to, "subject": "patience", "text": "hello"})).await;
    inboxd_testkit::eventually("both have it", async || (relay.mails().len() >= 3).then_some(())).await;
    let recipients: Vec<String> = relay.mails().into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(recipients, ["owner@example.org", "bob@outside.example", "busy@outside.example"]);
    event(&agent, "message.delivered", &sent["message_id"]).await;
    let events = agent.get("/v0/events?event_types=message.bounced").await.ok();
    assert_eq!(events["count"], 0);
}

#[tokio::test]
async fn a_relay_that_hangs_up_gets_the_mail_again() {
    let (relay, _server, agent) = relayed().await;
    relay.hang_up_once("bob@outside.example");
    let sent = agent.send(json!({"to": "bob@outside.example", "subject": "again", "text": "hello"})).await;
    relay.mail_about("again").await;
    event(&agent, "message.delivered", &sent["message_id"]).await;
}

#[tokio::test]
async fn mail_that_was_accepted_survives_a_kill_and_a_relay_that_is_away() {
    // Nothing listens here yet.
    let relay = Relay::start().await;
    let url = relay.url();
    drop(relay);
    let mut server = options().set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", url.clone()).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.send(json!({"to": "owner@example.org", "subject": "kept", "text": "hello"})).await;
    server.kill_9().await;
    let relay = Relay::at(&url).await;
    server.restart().await;
    relay.mail_about("kept").await;
    relay.code_for("owner@example.org").await;
}
