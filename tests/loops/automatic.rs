//! Automatic replies and bulk mail, to which keys reply only on request.

use inboxd_testkit::{ApiResponse, Persona, TestServer, eventually};
use serde_json::{Value, json};

use crate::drafts::{far_future, make_due};
use crate::people::sign_in_client;
use crate::support::{mail_to, receive, server_and_agent};

/// Delivers a mail with a header field of this value and returns the message.
async fn receive_with_field(server: &TestServer, agent: &Persona, name: &str, value: &str) -> Value {
    let subject = format!("{name} {value}");
    receive(server, agent, &mail_to(agent, &subject).header(name, value)).await;
    agent.message_about(&subject).await
}

async fn reply(agent: &Persona, message: &Value, body: Value) -> ApiResponse {
    agent.post(&agent.message(&message["message_id"], "/reply"), body).await
}

#[tokio::test]
async fn reply_to_automatic_reply_is_refused_with_reason_and_remedy() {
    let (server, agent) = server_and_agent().await;
    let message = receive_with_field(&server, &agent, "Auto-Submitted", "auto-replied (vacation)").await;
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
            let envelope = agent.post(target, body).await.require_error(403, "automatic_message");
            assert_eq!(envelope["name"], "ForbiddenError");
            assert!(envelope["message"].as_str().unwrap().contains("Auto-Submitted: auto-replied"), "{envelope:#}");
            assert!(envelope["fix"].as_str().unwrap().contains("allow_automatic"), "{envelope:#}");
        }
    }
    assert_eq!(agent.messages().await.len(), 1, "nothing was sent");
    let rejected = agent.get("/v0/events?event_types=message.rejected").await.ok();
    assert_eq!(rejected["count"], 0, "no refusal for a recipient");
    for (target, mut body) in ways {
        body["allow_automatic"] = json!(true);
        agent.post(&target, body).await.ok();
    }
    let wrong = agent.post(&path("/reply"), json!({"text": "x", "allow_automatic": "yes"})).await;
    assert_eq!(wrong.bad_fields(), ["allow_automatic"]);
}

#[tokio::test]
async fn every_automatic_marker_counts_except_for_initial_mail() {
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
        let message = receive_with_field(&server, &agent, name, value).await;
        reply(&agent, &message, json!({"text": "x"})).await.require_error(403, "automatic_message");
    }
    for (name, value) in [
        ("Auto-Submitted", "auto-generated"),
        ("Auto-Submitted", "no"),
        ("Precedence", "list"),
        ("List-Id", "<offers.outside.example>"),
        ("List-Unsubscribe", "<mailto:out@outside.example>"),
        ("X-Auto-Response-Suppress", "DR"),
    ] {
        let message = receive_with_field(&server, &agent, name, value).await;
        reply(&agent, &message, json!({"text": "x"})).await.ok();
    }
    let post = mail_to(&agent, "post").header("Precedence", "bulk").header("List-Id", "<offers.outside.example>");
    receive(&server, &agent, &post).await;
    reply(&agent, &agent.message_about("post").await, json!({"text": "x"})).await.ok();
}

#[tokio::test]
async fn mail_from_null_sender_is_received_but_not_replied_by_keys() {
    let (server, agent) = server_and_agent().await;
    // A field of the sender is not that of the delivery.
    let mail = mail_to(&agent, "bounce of a stranger").header("Return-Path", "<alice@outside.example>");
    server.deliver("", &[&agent.inbox_id], mail.raw()).await.require_code(250, "2");
    let message = agent.message_about("bounce of a stranger").await;
    assert_eq!(message["labels"], json!(["received", "unread"]));
    let envelope = reply(&agent, &message, json!({"text": "x"})).await.require_error(403, "automatic_message");
    assert!(envelope["message"].as_str().unwrap().contains("Return-Path: <>"), "{envelope:#}");
    let lied = mail_to(&agent, "letter").header("Return-Path", "<>");
    receive(&server, &agent, &lied).await;
    reply(&agent, &agent.message_about("letter").await, json!({"text": "x"})).await.ok();
}

#[tokio::test]
async fn send_and_forward_ignore_automatic_markers() {
    let (server, agent) = server_and_agent().await;
    let message = receive_with_field(&server, &agent, "Auto-Submitted", "auto-replied").await;
    agent.send(json!({"to": "alice@outside.example", "text": "x", "allow_automatic": false})).await;
    let forward = agent.message(&message["message_id"], "/forward");
    agent.post(&forward, json!({"to": "bob@outside.example"})).await.ok();
}

#[tokio::test]
async fn scheduled_reply_to_automatic_reply_is_rejected() {
    let (server, agent) = server_and_agent().await;
    let message = receive_with_field(&server, &agent, "Auto-Submitted", "auto-replied").await;
    let draft = json!({"in_reply_to": message["message_id"], "text": "later", "send_at": far_future()});
    agent.post(&agent.inbox("/drafts"), draft).await.ok();
    make_due(&server).await;
    let rejected = eventually("the draft is rejected", async || {
        agent.get("/v0/events?event_types=message.rejected").await.ok()["events"].as_array().unwrap().first().cloned()
    })
    .await;
    assert!(rejected["reject"]["reason"].as_str().unwrap().contains("Auto-Submitted"), "{rejected:#}");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn people_may_reply_to_automatic_mail() {
    let (server, agent) = server_and_agent().await;
    let message = receive_with_field(&server, &agent, "Auto-Submitted", "auto-replied").await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    owner.post(&agent.message(&message["message_id"], "/reply"), json!({"text": "Get well soon."})).await.ok();
}
