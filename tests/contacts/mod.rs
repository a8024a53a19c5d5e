//! `/v0/inboxes/{inbox_id}/contacts`: correspondents of an inbox.

use inboxd_testkit::{MailBuilder, Persona, TestServer};
use serde_json::{Value, json};

use crate::people::sign_in_client;
use crate::support::{mail_to, options, receive, server_and_agent};

const ALICE: &str = "alice@outside.example";

fn path(agent: &Persona, address: &str) -> String {
    agent.inbox(&format!("/contacts/{address}"))
}

async fn addresses(agent: &Persona) -> Vec<Value> {
    let list = agent.get(&agent.inbox("/contacts")).await.ok();
    list["contacts"].as_array().unwrap().iter().map(|contact| contact["address"].clone()).collect()
}

async fn labels_about(server: &TestServer, agent: &Persona, subject: &str) -> Value {
    receive(server, agent, &mail_to(agent, subject)).await;
    let list = agent.get(&agent.inbox("/messages?include_blocked=true")).await.ok();
    let messages = list["messages"].as_array().unwrap().clone();
    messages.into_iter().find(|message| message["subject"] == subject).unwrap()["labels"].clone()
}

#[tokio::test]
async fn contact_counts_messages_each_way() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "one")).await;
    receive(&server, &agent, &MailBuilder::new("ALICE@outside.example", &agent.inbox_id, "two", "text")).await;
    let first = agent.get(&path(&agent, ALICE)).await.ok();
    assert_eq!(first["received_count"], 2);
    assert_eq!((&first["sent_count"], &first["sent_at"]), (&json!(0), &Value::Null));
    assert_eq!((&first["name"], &first["decision"]), (&json!("Alice"), &Value::Null));

    let send = json!({"to": [ALICE, "bob@outside.example", agent.inbox_id], "subject": "hi", "text": "hi"});
    agent.post(&agent.inbox("/messages/send"), send).await.ok();
    let alice = agent.get(&path(&agent, "Alice%40Outside.example")).await.ok();
    assert_eq!((&alice["received_count"], &alice["sent_count"]), (&json!(2), &json!(1)));
    assert_eq!(alice["created_at"], first["created_at"]);
    assert!(alice["sent_at"].is_string() && alice["received_at"].is_string(), "{alice:#}");
    assert_eq!(addresses(&agent).await, ["bob@outside.example", ALICE], "newest first, and never the inbox itself");
}

#[tokio::test]
async fn hidden_mail_makes_no_contact() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/receive/block", json!({"entry": "evil.example"})).await.ok();
    receive(&server, &agent, &MailBuilder::new("x@evil.example", &agent.inbox_id, "no", "text")).await;
    let several = MailBuilder::new("a@one.example, b@two.example", &agent.inbox_id, "no", "text");
    receive(&server, &agent, &several).await;
    assert_eq!(
        agent.get(&agent.inbox("/messages?include_blocked=true&include_unauthenticated=true")).await.ok()["count"],
        2
    );
    assert_eq!(addresses(&agent).await, Vec::<Value>::new());
}

#[tokio::test]
async fn blocked_contact_gets_label_until_decision_is_removed() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    let contact = agent.patch(&path(&agent, ALICE), json!({"decision": "blocked"})).await.ok();
    assert_eq!(contact["decision"], "blocked");
    assert_eq!(labels_about(&server, &agent, "second").await, json!(["blocked", "received", "unread"]));
    assert_eq!(agent.get(&path(&agent, ALICE)).await.ok()["received_count"], 1, "blocked mail does not count");

    let contact = agent.patch(&path(&agent, ALICE), json!({"decision": null})).await.ok();
    assert_eq!(contact["decision"], Value::Null);
    assert_eq!(labels_about(&server, &agent, "third").await, json!(["received", "unread"]));
}

#[tokio::test]
async fn blocked_contact_is_kept_out_in_every_role() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    agent.patch(&path(&agent, ALICE), json!({"decision": "blocked"})).await.ok();
    let from = |from: &str, subject: &str| MailBuilder::new(from, &agent.inbox_id, subject, "text").raw();
    let sender = format!("Sender: {ALICE}\r\n");
    for (subject, envelope, raw) in [
        ("author", "x@outside.example", from("Alice <ALICE@outside.example>", "author")),
        ("one of several", "x@outside.example", from(&format!("bob@outside.example, {ALICE}"), "one of several")),
        ("sender", "x@outside.example", [sender.as_bytes(), &from("bob@outside.example", "sender")].concat()),
        ("return path", ALICE, from("bob@outside.example", "return path")),
    ] {
        server.deliver(envelope, &[&agent.inbox_id], raw).await.require_code(250, "2");
        let list = agent.get(&agent.inbox("/messages?include_blocked=true&include_unauthenticated=true")).await.ok();
        let message =
            list["messages"].as_array().unwrap().iter().find(|message| message["subject"] == subject).unwrap();
        let labels = message["labels"].as_array().unwrap();
        assert!(labels.contains(&json!("blocked")), "{subject}: {labels:?}");
    }
    server
        .deliver("x@outside.example", &[&agent.inbox_id], from("bob@outside.example", "bob"))
        .await
        .require_code(250, "2");
    let list = agent.get(&agent.inbox("/messages")).await.ok();
    assert_eq!(list["messages"][0]["subject"], "bob", "another sender is not concerned");
}

#[tokio::test]
async fn forgotten_contact_begins_again() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    agent.patch(&path(&agent, ALICE), json!({"decision": "blocked"})).await.ok();
    agent.delete(&path(&agent, ALICE)).await.require_no_content();
    agent.get(&path(&agent, ALICE)).await.require_error(404, "not_found");
    agent.delete(&path(&agent, ALICE)).await.require_error(404, "not_found");
    assert_eq!(labels_about(&server, &agent, "second").await, json!(["received", "unread"]));
    assert_eq!(agent.get(&path(&agent, ALICE)).await.ok()["received_count"], 1);
    assert_eq!(agent.get(&agent.inbox("/messages?include_blocked=true")).await.ok()["count"], 2, "messages stay");
}

#[tokio::test]
async fn decision_must_be_given_and_known() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    for body in [json!({}), json!({"decision": "friend"}), json!({"decision": true})] {
        let refusal = agent.patch(&path(&agent, ALICE), body).await.require_error(422, "validation_error");
        assert_eq!(refusal["errors"][0]["path"], "decision");
    }
    let unknown = path(&agent, "nobody@outside.example");
    agent.patch(&unknown, json!({"decision": "blocked"})).await.require_error(404, "not_found");
    let trusted = json!({"decision": "trusted"});
    agent.patch(&path(&agent, ALICE), trusted.clone()).await.require_error(403, "role_not_allowed");
    let person = sign_in_client(&server, "owner@example.org").await;
    assert_eq!(person.patch(&path(&agent, ALICE), trusted).await.ok()["decision"], "trusted");
    agent.get(&path(&agent, "no%20address")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn decisions_have_limit_of_list_entries() {
    let server = options().set("INBOXD_MAX_LIST_ENTRIES", "1").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    receive(&server, &agent, &MailBuilder::new("bob@outside.example", &agent.inbox_id, "second", "text")).await;
    agent.patch(&path(&agent, ALICE), json!({"decision": "blocked"})).await.ok();
    let (bob, decision) = (path(&agent, "bob@outside.example"), json!({"decision": "blocked"}));
    agent.patch(&bob, decision.clone()).await.require_error(429, "resource_limit_reached");
    agent.patch(&path(&agent, ALICE), json!({"decision": null})).await.ok();
    agent.patch(&bob, decision).await.ok();
}
