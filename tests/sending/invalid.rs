//! Invalid messages: header injection, NUL, wrong types, excessive size.

use serde_json::json;

use crate::support::{options, server_and_agent};

#[tokio::test]
async fn line_ends_and_nul_in_header_values_are_refused() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    for evil in ["a\r\nBcc: victim@outside.example", "a\nX: y", "a\rb", "a\u{0}b"] {
        let table = [
            (json!({"to": "bob@outside.example", "subject": evil}), "subject"),
            (json!({"to": format!("{evil} <bob@outside.example>")}), "to"),
            (json!({"to": "bob@outside.example", "cc": [format!("{evil}@outside.example")]}), "cc"),
            (json!({"to": "bob@outside.example", "reply_to": format!("{evil} <a@b.example>")}), "reply_to"),
            (json!({"to": "bob@outside.example", "headers": {"X-Thing": evil}}), "headers"),
            (json!({"to": "bob@outside.example", "headers": {(evil): "x"}}), "headers"),
            (
                json!({"to": "bob@outside.example", "attachments": [{"filename": evil, "content": "QQ=="}]}),
                "attachments",
            ),
            (
                json!({"to": "bob@outside.example", "attachments": [{"content_type": evil, "content": "QQ=="}]}),
                "attachments",
            ),
            (
                json!({"to": "bob@outside.example", "attachments": [{"content_id": evil, "content": "QQ=="}]}),
                "attachments",
            ),
        ];
        for (body, field) in table {
            let fields = agent.post(&send, body.clone()).await.bad_fields();
            assert!(fields.iter().any(|other| other.starts_with(field)), "{body}: {fields:?}");
        }
    }
    for field in ["text", "html"] {
        let body = json!({"to": "bob@outside.example", (field): "a\u{0}b"});
        assert_eq!(agent.post(&send, body).await.bad_fields(), [field]);
    }
    assert_eq!(agent.messages().await.len(), 0, "nothing was sent");
}

#[tokio::test]
async fn header_fields_of_service_are_refused() {
    let (_server, agent) = server_and_agent().await;
    let send = agent.inbox("/messages/send");
    for name in ["From", "Bcc", "Message-ID", "DKIM-Signature", "Content-Type", "Received", "Return-Path"] {
        let body = json!({"to": "bob@outside.example", "text": "x", "headers": {(name): "value"}});
        let fields = agent.post(&send, body).await.bad_fields();
        assert!(fields[0].starts_with("headers"), "{name}: {fields:?}");
    }
}

#[tokio::test]
async fn wrong_types_are_all_named() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({
        "to": 7, "subject": [], "text": {}, "html": true, "headers": "none", "attachments": "none", "labels": 1,
    });
    let fields = agent.post(&agent.inbox("/messages/send"), body).await.bad_fields();
    assert_eq!(fields, ["attachments", "headers", "html", "labels", "subject", "text", "to"]);
    let nested = json!({"to": ["a@outside.example", 7], "attachments": [{"content": 7}, {"filename": "no content"}]});
    let fields = agent.post(&agent.inbox("/messages/send"), nested).await.bad_fields();
    for path in ["to[1]", "attachments[0]", "attachments[1]"] {
        assert!(fields.iter().any(|other| other.starts_with(path)), "{path} is not in {fields:?}");
    }
}

#[tokio::test]
async fn system_labels_are_refused() {
    let (_server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "text": "x", "labels": ["received"]});
    agent.post(&agent.inbox("/messages/send"), body).await.require_error(422, "system_label");
}

#[tokio::test]
async fn too_large_message_is_refused() {
    let server = options().set("INBOXD_MAX_MESSAGE_BYTES", "100000").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let send = agent.inbox("/messages/send");
    let fits = json!({"to": "bob@outside.example", "text": "x".repeat(60_000)});
    agent.send(fits).await;
    let too_large = json!({"to": "bob@outside.example", "text": "x".repeat(110_000)});
    agent.post(&send, too_large).await.require_error(413, "payload_too_large");
    // The limit of a body is 1.4 times that of a message.
    let body = json!({"to": "bob@outside.example", "text": "x".repeat(200_000)});
    agent.post(&send, body).await.require_error(413, "payload_too_large");
}
