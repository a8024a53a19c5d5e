//! Trust in received messages.

mod scanner;

use inboxd_testkit::{MailBuilder, Persona, TestServer, eventually};
use serde_json::{Value, json};

use crate::support::{mail_to, receive, server_and_agent};

async fn received(server: &TestServer, agent: &Persona, from: &str, subject: &str) -> Value {
    receive(server, agent, &MailBuilder::new(from, &agent.inbox_id, subject, "Hello.")).await;
    agent.message_about(subject).await
}

fn names(trust: &Value) -> Vec<&str> {
    trust["reasons"].as_array().unwrap().iter().map(|reason| reason["name"].as_str().unwrap()).collect()
}

async fn send(agent: &Persona, to: &str) {
    agent.post(&agent.inbox("/messages/send"), json!({"to": [to], "subject": "hi", "text": "hi"})).await.ok();
}

#[tokio::test]
async fn stranger_becomes_known_when_inbox_writes_to_it() {
    let (server, agent) = server_and_agent().await;
    let first = received(&server, &agent, "Alice <alice@outside.example>", "first").await;
    assert_eq!(first["trust"]["verdict"], "first_contact");
    send(&agent, "alice@outside.example").await;
    let second = received(&server, &agent, "Alice <ALICE@outside.example>", "second").await;
    assert_eq!(second["trust"]["verdict"], "known", "{second:#}");
    let known = &second["trust"]["reasons"][0];
    assert_eq!(
        (&known["name"], &known["received"], &known["sent"]),
        (&json!("known_correspondent"), &json!(1), &json!(1))
    );
    assert!(known["since"].as_str().is_some_and(|since| since.len() == "2026-11-28T09:00:00.000Z".len()), "{known}");
    assert_eq!(agent.message_about("first").await["trust"], first["trust"], "a verdict stays as judged on receipt");
}

#[tokio::test]
async fn trust_is_the_same_in_lists_threads_and_events() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "one")).await;
    let message = agent.message_about("one").await;
    let trust = &message["trust"];
    assert_eq!(trust["verdict"], "first_contact");
    assert_eq!(&agent.get(&agent.inbox("/messages")).await.ok()["messages"][0]["trust"], trust);
    assert_eq!(&agent.get(&agent.inbox("/threads")).await.ok()["threads"][0]["trust"], trust);
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!((&thread["trust"], &thread["messages"][0]["trust"]), (trust, trust));
    let event = agent.get("/v0/events?event_types=message.received").await.ok()["events"][0].clone();
    assert_eq!((&event["message"]["trust"], &event["thread"]["trust"]), (trust, trust));
    agent.post(&agent.message(&message["message_id"], "/reply"), json!({"text": "Yes."})).await.ok();
    let thread = agent.get(&agent.thread(&message["thread_id"], "")).await.ok();
    assert_eq!(&thread["trust"], trust, "a sent message changes no trust");
    assert_eq!(thread["messages"][1]["trust"], Value::Null);
}

#[tokio::test]
async fn messages_from_before_the_judgement_have_no_trust() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "old")).await;
    server.database().execute("UPDATE messages SET trust = NULL; UPDATE threads SET trust = NULL").await;
    assert_eq!(agent.message_about("old").await.get("trust"), None);
    assert_eq!(agent.get(&agent.inbox("/threads")).await.ok()["threads"][0].get("trust"), None);
}

#[tokio::test]
async fn suspicious_message_makes_no_contact() {
    let (server, agent) = server_and_agent().await;
    send(&agent, "bob@weber-bau.example").await;
    let copy = received(&server, &agent, "bob@weber-bua.example", "invoice").await;
    assert_eq!(copy["trust"]["verdict"], "suspicious", "{copy:#}");
    assert_eq!(names(&copy["trust"]), ["lookalike_domain"]);
    agent.get(&agent.inbox("/contacts/bob@weber-bua.example")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn tenant_with_name_of_service_is_suspicious() {
    let (server, agent) = server_and_agent().await;
    let tenant = server.verified("tenant@example.org", "ledger7").await;
    tenant.patch(&tenant.inbox(""), json!({"display_name": "Inboxd Support"})).await.ok();
    tenant.send(json!({"to": [&agent.inbox_id], "subject": "support", "text": "hi"})).await;
    let found = async || agent.messages().await.into_iter().find(|message| message["subject"] == "support");
    let trust = &eventually("the mail of the tenant", found).await["trust"];
    assert_eq!(trust["verdict"], "suspicious", "{trust:#}");
    assert_eq!(names(trust), ["authenticated_domain", "imitated_name", "mass_mail"]);
}

#[tokio::test]
async fn reasons_name_no_correspondent_of_another_pod() {
    let (server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let other =
        agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({})).await.ok()["inbox_id"].as_str().unwrap().to_owned();
    send(&agent, "bob@weber-bau.example").await;
    for (inbox, known_domain) in [(&agent.inbox_id, json!("weber-bau.example")), (&other, Value::Null)] {
        let mail = MailBuilder::new("office@weber-bua.example", inbox, "invoice", "Hello.");
        server.deliver("office@weber-bua.example", &[inbox], mail.raw()).await.require_code(250, "2");
        let list = agent.get(&format!("/v0/inboxes/{inbox}/messages")).await.ok();
        let messages = list["messages"].as_array().unwrap();
        let copy = messages.iter().find(|message| message["subject"] == "invoice").unwrap();
        assert_eq!(copy["trust"]["verdict"], "suspicious", "{copy:#}");
        assert_eq!(copy["trust"]["reasons"][0]["known_domain"], known_domain, "{copy:#}");
    }
}

#[tokio::test]
async fn organization_knows_correspondents_of_its_other_inboxes() {
    let (server, agent) = server_and_agent().await;
    let other = agent.post("/v0/inboxes", json!({})).await.ok()["inbox_id"].as_str().unwrap().to_owned();
    send(&agent, "alice@outside.example").await;
    receive(&server, &agent, &MailBuilder::new("alice@outside.example", &other, "elsewhere", "Hello.")).await;
    server
        .deliver(
            "alice@outside.example",
            &[&other],
            MailBuilder::new("alice@outside.example", &other, "there", "x").raw(),
        )
        .await
        .require_code(250, "2");
    let list = agent.get(&format!("/v0/inboxes/{other}/messages")).await.ok();
    let trust = &list["messages"][0]["trust"];
    assert_eq!(trust["verdict"], "known", "{trust:#}");
    assert_eq!((&trust["reasons"][0]["sent"], &trust["reasons"][0]["organization_sent"]), (&json!(0), &json!(1)));
}

#[tokio::test]
async fn reply_to_elsewhere_of_stranger_needs_confirmation() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new("alice@outside.example", &agent.inbox_id, "elsewhere", "Hello.")
        .header("Reply-To", "alice@collector.example");
    receive(&server, &agent, &mail).await;
    let id = agent.message_about("elsewhere").await["message_id"].clone();
    let draft = json!({"text": "Yes.", "in_reply_to": id, "send_at": "2099-01-01T00:00:00Z"});
    agent.post(&agent.inbox("/drafts"), draft).await.require_error(422, "reply_to_elsewhere");
    agent.post(&agent.inbox("/drafts"), json!({"text": "Yes.", "in_reply_to": id})).await.ok();
    for action in ["/reply", "/reply-all"] {
        let path = agent.message(&id, action);
        for body in [json!({"undo_seconds": 1}), json!({"dry_run": true})] {
            agent.post(&path, body).await.require_error(422, "reply_to_elsewhere");
        }
        let refusal = agent.post(&path, json!({"text": "Yes."})).await.require_error(422, "reply_to_elsewhere");
        assert!(refusal["fix"].as_str().unwrap().contains("confirm_reply_to"), "{refusal:#}");
        assert!(refusal["message"].as_str().unwrap().contains("alice@collector.example"), "{refusal:#}");
        agent.post(&path, json!({"text": "Yes.", "confirm_reply_to": true})).await.ok();
    }
    let named = json!({"text": "Yes.", "to": ["alice@outside.example"]});
    agent.post(&agent.message(&id, "/reply"), named).await.ok();
    // The inbox wrote to Alice, so she is known from here on, but nothing proves that this mail is hers.
    let again = MailBuilder::new("alice@outside.example", &agent.inbox_id, "again", "Hello.")
        .header("Reply-To", "alice@collector.example");
    receive(&server, &agent, &again).await;
    let again = agent.message_about("again").await;
    assert_eq!(again["trust"]["verdict"], "known");
    let path = agent.message(&again["message_id"], "/reply");
    agent.post(&path, json!({"text": "Yes."})).await.require_error(422, "reply_to_elsewhere");
}

#[tokio::test]
async fn lists_filter_by_verdict() {
    let (server, agent) = server_and_agent().await;
    send(&agent, "bob@weber-bau.example").await;
    received(&server, &agent, "bob@weber-bua.example", "copy").await;
    received(&server, &agent, "bob@weber-bau.example", "real").await;
    received(&server, &agent, "carol@outside.example", "new").await;
    let subjects = async |list: &str, query: &str| {
        let found = agent.get(&agent.inbox(&format!("/{list}?{query}"))).await.ok();
        found[list].as_array().unwrap().iter().map(|item| item["subject"].clone()).collect::<Vec<Value>>()
    };
    for list in ["messages", "threads"] {
        assert_eq!(subjects(list, "trust=suspicious").await, ["copy"]);
        assert_eq!(subjects(list, "trust=known,suspicious").await, ["real", "copy"]);
        assert_eq!(subjects(list, "trust=known&trust=first_contact&trust=known").await, ["new", "real"]);
        assert_eq!(subjects(list, "trust=trusted").await, Vec::<Value>::new());
        let refused = agent.get(&agent.inbox(&format!("/{list}?trust=friend"))).await;
        assert_eq!(refused.bad_fields(), ["trust"]);
    }
}
