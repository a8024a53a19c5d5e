//! `POST …/forward`.

use inboxd_testkit::MailBuilder;
use serde_json::json;

use super::server_with_relay;
use crate::support::receive;

#[tokio::test]
async fn forward_contains_text_and_attachments_and_starts_thread() {
    let (relay, server, agent) = server_with_relay().await;
    let mail = MailBuilder::new("Alice <alice@outside.example>", &agent.inbox_id, "Contract", "Please sign — schnell.")
        .id("<contract@outside.example>")
        .html("<p>Please <b>sign</b></p>")
        .attach("contract.pdf", "application/pdf", b"%PDF contract");
    receive(&server, &agent, &mail).await;
    let original = agent.message_about("Contract").await;
    let body = json!({"to": ["bob@outside.example"], "text": "What do you think?"});
    let sent = agent.post(&agent.message(&original["message_id"], "/forward"), body).await.ok();
    assert_ne!(sent["thread_id"], original["thread_id"]);

    let mail = relay.mail_about("Fwd: Contract").await;
    assert_eq!(mail.to, ["bob@outside.example"]);
    assert!(mail.headers("In-Reply-To").is_empty() && mail.headers("References").is_empty(), "{}", mail.text());
    let read = inboxd_mail::parse(&mail.raw);
    let text = read.text.unwrap();
    for part in ["What do you think?", "alice@outside.example", "Contract", "Please sign — schnell."] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(read.html.unwrap().contains("<b>sign</b>"));
    assert_eq!(read.attachments.len(), 1);
    let content = inboxd_mail::attachment_content(&mail.raw, read.attachments[0].part).unwrap();
    assert_eq!(
        (read.attachments[0].filename.as_deref(), content.as_slice()),
        (Some("contract.pdf"), b"%PDF contract".as_slice())
    );
    let stored = agent.get(&agent.message(&sent["message_id"], "")).await.ok();
    assert!(stored.get("in_reply_to").is_none(), "{stored:#}");
    assert_eq!(stored["attachments"][0]["filename"], "contract.pdf");
}

#[tokio::test]
async fn forward_without_recipient_is_refused() {
    let (_relay, server, agent) = server_with_relay().await;
    receive(&server, &agent, &MailBuilder::new("alice@outside.example", &agent.inbox_id, "x", "y")).await;
    let id = agent.message_about("x").await["message_id"].clone();
    assert_eq!(agent.post(&agent.message(&id, "/forward"), json!({"text": "z"})).await.bad_fields(), ["to"]);
}

#[tokio::test]
async fn message_with_any_part_names_can_be_forwarded() {
    let (relay, server, agent) = server_with_relay().await;
    let long = "x".repeat(2_000);
    let part = |fields: &str| format!("--b\r\n{fields}\r\n\r\nx\r\n");
    let parts = [
        part("Content-Type: image/png\r\nContent-ID: <a b c>"),
        part(&format!("Content-Type: image/png\r\nContent-ID: <{long}>")),
        part("Content-Type: image/x=y\r\nContent-Disposition: attachment"),
        part("Content-Type: multipart/mixed"),
    ];
    let raw = format!(
        "From: Alice <alice@outside.example>\r\nSubject: Odd\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{}--b--\r\n",
        parts.concat()
    );
    server.deliver("alice@outside.example", &[&agent.inbox_id], raw.into_bytes()).await.require_code(250, "2");
    let original = agent.message_about("Odd").await;
    let types: Vec<_> = original["attachments"].as_array().unwrap().iter().map(|one| &one["content_type"]).collect();
    assert_eq!(types, [&json!("image/png"), &json!("image/png"), &json!(null), &json!("application/octet-stream")]);
    agent.post(&agent.message(&original["message_id"], "/forward"), json!({"to": "bob@outside.example"})).await.ok();
    let read = inboxd_mail::parse(&relay.mail_about("Fwd: Odd").await.raw);
    assert_eq!(read.attachments.len(), 4);
}
