//! Effect of lists on inbound mail.

use inboxd_testkit::{MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use super::{add_entry, delete_entry, events_of_type, level_paths};
use crate::support::{server_and_agent, subjects, text_fields};

/// Delivers a mail and returns its labels.
async fn deliver_and_get_labels(
    server: &TestServer,
    agent: &Persona,
    envelope: &str,
    from: &str,
    subject: &str,
) -> Value {
    let mail = MailBuilder::new(from, &agent.inbox_id, subject, "hello");
    let reply = server.deliver(envelope, &[&agent.inbox_id], mail.raw()).await;
    assert_eq!(reply.code, 250, "a blocked mail is stored: {reply:?}");
    let list =
        agent.get(&agent.inbox("/messages?include_blocked=true&include_unauthenticated=true&limit=200")).await.ok();
    let messages = list["messages"].as_array().unwrap();
    messages.iter().find(|message| message["subject"] == subject).unwrap()["labels"].clone()
}

fn blocked() -> Value {
    json!(["blocked", "received", "unread"])
}

/// Authors of several domains cannot all be authenticated.
fn blocked_of_several() -> Value {
    json!(["blocked", "received", "unauthenticated", "unread"])
}

fn received() -> Value {
    json!(["received", "unread"])
}

#[tokio::test]
async fn blocked_mail_is_stored_with_label_and_one_event() {
    let (server, agent) = server_and_agent().await;
    for (number, whose) in level_paths(&agent).await.iter().enumerate() {
        add_entry(&agent, whose, "receive/block", "evil.example").await;
        let subject = format!("blocked {number}");
        assert_eq!(
            deliver_and_get_labels(&server, &agent, "x@evil.example", "X <x@mail.Evil.example>", &subject).await,
            blocked()
        );
        assert!(!subjects(&agent, "/messages").await.contains(&subject), "lists omit it");
        assert!(!subjects(&agent, "/threads").await.contains(&subject));
        assert!(subjects(&agent, "/messages?include_blocked=true").await.contains(&subject));
        let happened = events_of_type(&agent, "message.received.blocked").await;
        assert_eq!((happened.len(), &happened[0]["message"]["subject"]), (number + 1, &json!(subject)));
        delete_entry(&agent, whose, "receive/block", "evil.example").await;
        assert_eq!(
            deliver_and_get_labels(&server, &agent, "x@evil.example", "x@evil.example", &format!("{number}")).await,
            received()
        );
    }
    assert_eq!(events_of_type(&agent, "message.received").await.len(), 3, "one event for each mail");
}

#[tokio::test]
async fn block_applies_to_from_sender_and_envelope() {
    let (server, agent) = server_and_agent().await;
    add_entry(&agent, "", "receive/block", "eve@evil.example").await;
    for (envelope, from) in [
        ("eve@evil.example", "good@good.example"),
        ("good@good.example", "EVE@Evil.Example"),
        ("good@good.example", "good@good.example, Eve <eve@evil.example>"),
        ("good@good.example", "\"eve\"@evil.example"),
    ] {
        let expected = if from.contains(',') { blocked_of_several() } else { blocked() };
        assert_eq!(
            deliver_and_get_labels(&server, &agent, envelope, from, &format!("{envelope} {from}")).await,
            expected,
            "{from}"
        );
    }
    let adam = deliver_and_get_labels(
        &server,
        &agent,
        "adam@evil.example",
        "\"eve@evil.example\" <adam@evil.example>",
        "adam",
    )
    .await;
    assert_eq!(adam, received());
}

#[tokio::test]
async fn receive_allow_list_applies_to_authors() {
    let (server, agent) = server_and_agent().await;
    add_entry(&agent, "", "receive/allow", "good.example").await;
    for (envelope, from, expected) in [
        ("bounce-1@carrier.example", "a@good.example", received()),
        ("a@good.example", "b@other.example", blocked()),
        ("a@good.example", "a@good.example, b@other.example", blocked_of_several()),
    ] {
        assert_eq!(
            deliver_and_get_labels(&server, &agent, envelope, from, &format!("{envelope} {from}")).await,
            expected,
            "{from}"
        );
    }
}

#[tokio::test]
async fn mail_to_two_inboxes_can_be_blocked_in_one() {
    let (server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    let other = other["inbox_id"].as_str().unwrap();
    add_entry(&agent, &format!("/inboxes/{other}"), "receive/block", "outside.example").await;
    let mail = MailBuilder::new("alice@outside.example", &agent.inbox_id, "both", "x").id("<both@outside.example>");
    assert_eq!(server.deliver("alice@outside.example", &[&agent.inbox_id, other], mail.raw()).await.code, 250);
    assert_eq!(subjects(&agent, "/messages").await, ["both"]);
    let there = agent.get(&format!("/v0/inboxes/{other}/messages")).await.ok();
    assert_eq!(there["count"], 0);
    let there = agent.get(&format!("/v0/inboxes/{other}/messages?include_blocked=true")).await.ok();
    assert_eq!(text_fields(&there, "messages", "subject"), ["both"]);
    assert_eq!(events_of_type(&agent, "message.received").await[0]["inbox_id"], agent.inbox_id);
    assert_eq!(events_of_type(&agent, "message.received.blocked").await[0]["inbox_id"], other);
}

#[tokio::test]
async fn local_mail_is_checked_by_lists() {
    let (_server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    let other = other["inbox_id"].as_str().unwrap().to_owned();
    add_entry(&agent, &format!("/inboxes/{other}"), "receive/block", &agent.inbox_id).await;
    agent.send(json!({"to": other, "subject": "inside", "text": "x"})).await;
    inboxd_testkit::eventually("the local message", async || {
        let list = agent.get(&format!("/v0/inboxes/{other}/messages?include_blocked=true")).await.ok();
        list["messages"].as_array().unwrap().first().cloned().filter(|message| message["labels"] == blocked())
    })
    .await;
}
