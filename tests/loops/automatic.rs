//! Automatic answers, and mail that is sent in bulk: keys answer them only when they say so.

use inboxd_testkit::{Answer, Persona, Server, eventually};
use serde_json::{Value, json};

use crate::drafts::{come_due, later};
use crate::people::person;
use crate::support::{mail_to, receive, server_and_agent};

/// A mail with a field of this value, as the agent has it.
async fn received(server: &Server, agent: &Persona, name: &str, value: &str) -> Value {
    let subject = format!("{name} {value}");
    receive(server, agent, &mail_to(agent, &subject).header(name, value)).await;
    agent.message_about(&subject).await
}

async fn reply(agent: &Persona, message: &Value, body: Value) -> Answer {
    agent.post(&agent.message(&message["message_id"], "/reply"), body).await
}

#[tokio::test]
async fn an_answer_to_an_automatic_answer_is_refused_and_says_why_and_how_to_send_it() {
    let (server, agent) = server_and_agent().await;
    let message = received(&server, &agent, "Auto-Submitted", "auto-replied (vacation)").await;
    let path = |rest: &str| agent.message(&message["message_id"], rest);
    let draft = json!({"in_reply_to": message["message_id"], "text": "drafted"});
    let draft = agent.post(&agent.inbox("/drafts"), draft).await.ok();
    let send = agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    let ways = [
        (path("/reply"), json!({"text": "x"})),
        (path("/reply"), json!({"text": "x", "reply_all": true})),
        (path("/reply-all"), json!({"text": "x"})),
        (send, json!({})),
    ];
    for (target, body) in &ways {
        for said in [json!(null), json!(false)] {
            let mut body = body.clone();
            body["allow_automatic"] = said;
            let envelope = agent.post(target, body).await.refused(403, "automatic_message");
            assert_eq!(envelope["name"], "ForbiddenError");
            assert!(envelope["message"].as_str().unwrap().contains("Auto-Submitted: auto-replied"), "{envelope:#}");
            assert!(envelope["fix"].as_str().unwrap().contains("allow_automatic"), "{envelope:#}");
        }
    }
    assert_eq!(agent.messages().await.len(), 1, "nothing was sent");
    let rejected = agent.get("/v0/events?event_types=message.rejected").await.ok();
    assert_eq!(rejected["count"], 0, "it is no refusal for a recipient");
    for (target, mut body) in ways {
        body["allow_automatic"] = json!(true);
        agent.post(&target, body).await.ok();
    }
    let wrong = agent.post(&path("/reply"), json!({"text": "x", "allow_automatic": "yes"})).await;
    assert_eq!(wrong.bad_fields(), ["allow_automatic"]);
}

#[tokio::test]
async fn every_sign_of_a_machine_counts_and_what_begins_something_may_be_answered() {
    let (server, agent) = server_and_agent().await;
    for (name, value) in [
        ("Auto-Submitted", "auto-notified; owner-email=\"x@y.example\""),
        ("Precedence", "bulk"),
        ("Precedence", "junk"),
        ("Precedence", "auto_reply"),
        ("X-Auto-Response-Suppress", "All"),
        ("X-Auto-Response-Suppress", "DR, OOF, AutoReply"),
        ("X-Autoreply", "yes"),
    ] {
        let message = received(&server, &agent, name, value).await;
        reply(&agent, &message, json!({"text": "x"})).await.refused(403, "automatic_message");
    }
    for (name, value) in [
        ("Auto-Submitted", "auto-generated"),
        ("Auto-Submitted", "no"),
        ("Precedence", "list"),
        ("List-Id", "<offers.outside.example>"),
        ("List-Unsubscribe", "<mailto:out@outside.example>"),
        ("X-Auto-Response-Suppress", "DR"),
    ] {
        let message = received(&server, &agent, name, value).await;
        reply(&agent, &message, json!({"text": "x"})).await.ok();
    }
    let post = mail_to(&agent, "post").header("Precedence", "bulk").header("List-Id", "<offers.outside.example>");
    receive(&server, &agent, &post).await;
    reply(&agent, &agent.message_about("post").await, json!({"text": "x"})).await.ok();
}

#[tokio::test]
async fn a_mail_from_the_null_sender_is_ordinary_mail_that_keys_do_not_answer() {
    let (server, agent) = server_and_agent().await;
    // A field that the sender wrote is not the one of the delivery.
    let mail = mail_to(&agent, "bounce of a stranger").header("Return-Path", "<alice@outside.example>");
    server.deliver("", &[&agent.inbox_id], mail.raw()).await.is(250, "2");
    let message = agent.message_about("bounce of a stranger").await;
    assert_eq!(message["labels"], json!(["received", "unread"]));
    let envelope = reply(&agent, &message, json!({"text": "x"})).await.refused(403, "automatic_message");
    assert!(envelope["message"].as_str().unwrap().contains("Return-Path: <>"), "{envelope:#}");
    let lied = mail_to(&agent, "letter").header("Return-Path", "<>");
    receive(&server, &agent, &lied).await;
    reply(&agent, &agent.message_about("letter").await, json!({"text": "x"})).await.ok();
}

#[tokio::test]
async fn sending_and_passing_on_know_no_automatic_mail() {
    let (server, agent) = server_and_agent().await;
    let message = received(&server, &agent, "Auto-Submitted", "auto-replied").await;
    agent.send(json!({"to": "alice@outside.example", "text": "x", "allow_automatic": false})).await;
    let forward = agent.message(&message["message_id"], "/forward");
    agent.post(&forward, json!({"to": "bob@outside.example"})).await.ok();
}

#[tokio::test]
async fn a_scheduled_answer_to_an_automatic_answer_fails_and_says_so() {
    let (server, agent) = server_and_agent().await;
    let message = received(&server, &agent, "Auto-Submitted", "auto-replied").await;
    let draft = json!({"in_reply_to": message["message_id"], "text": "later", "send_at": later()});
    agent.post(&agent.inbox("/drafts"), draft).await.ok();
    come_due(&server).await;
    let rejected = eventually("it is rejected", async || {
        agent.get("/v0/events?event_types=message.rejected").await.ok()["events"].as_array().unwrap().first().cloned()
    })
    .await;
    assert!(rejected["reject"]["reason"].as_str().unwrap().contains("Auto-Submitted"), "{rejected:#}");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn people_answer_whom_they_like() {
    let (server, agent) = server_and_agent().await;
    let message = received(&server, &agent, "Auto-Submitted", "auto-replied").await;
    let owner = person(&server, "owner@example.org").await;
    owner.post(&agent.message(&message["message_id"], "/reply"), json!({"text": "Get well soon."})).await.ok();
}
