//! `POST /v0/webhooks`.

use serde_json::json;

use super::{NOWHERE, create_webhook, webhook_path, without_secret};
use crate::support::{options, server_and_agent, text_fields};

const DEFAULT: [&str; 22] = [
    "message.received",
    "message.security.completed",
    "message.security.review",
    "message.security.override",
    "message.sent",
    "message.held",
    "message.approved",
    "message.delivered",
    "message.bounced",
    "message.complained",
    "message.redacted",
    "message.rejected",
    "domain.verified",
    "calendar.event.created",
    "calendar.event.updated",
    "calendar.event.deleted",
    "calendar.event.responded",
    "calendar.event.starting",
    "calendar.event.ending",
    "sending.slowed",
    "sending.held",
    "sending.resumed",
];

#[tokio::test]
async fn new_webhook_shows_secret_once() {
    let (_server, agent) = server_and_agent().await;
    let asked = json!({"event_types": ["message.sent", "message.received", "message.sent"], "client_id": "hook"});
    let webhook = create_webhook(&agent, "/v0/webhooks", asked.clone()).await;
    let secret = webhook["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
    assert_eq!(webhook["event_types"], json!(["message.sent", "message.received"]));
    assert_eq!(
        (&webhook["url"], &webhook["enabled"], &webhook["client_id"]),
        (&json!(NOWHERE), &json!(true), &json!("hook"))
    );
    for absent in ["pod_id", "inbox_id", "pod_ids", "inbox_ids", "failing_since"] {
        assert_eq!(webhook.get(absent), None, "{absent}");
    }
    assert_eq!(agent.get(&webhook_path(&webhook, "")).await.ok(), without_secret(&webhook));
    assert_eq!(agent.get("/v0/webhooks").await.ok()["webhooks"], json!([without_secret(&webhook)]));
    assert_eq!(
        create_webhook(&agent, "/v0/webhooks", asked).await,
        without_secret(&webhook),
        "a repetition shows no secret"
    );
    assert_eq!(agent.get("/v0/organizations").await.ok()["webhook_count"], 1);
}

#[tokio::test]
async fn default_subscription_omits_hidden_mail_and_naming_it_needs_permission() {
    let (_server, agent) = server_and_agent().await;
    for none in [json!({}), json!({"event_types": null}), json!({"event_types": []})] {
        let webhook = create_webhook(&agent, "/v0/webhooks", none).await;
        assert_eq!(webhook["event_types"], json!(DEFAULT));
        agent.delete(&webhook_path(&webhook, "")).await.require_no_content();
    }
    let blind =
        agent.create_key("/v0/api-keys", json!({"permissions": {"webhook_create": true, "message_read": true}})).await;
    let reader = json!({"permissions": {"webhook_create": true, "message_read": true, "label_spam_read": true}});
    let reader = agent.create_key("/v0/api-keys", reader).await;
    for (kind, permission) in [
        ("message.received.spam", "label_spam_read"),
        ("message.received.blocked", "label_blocked_read"),
        ("message.received.unauthenticated", "label_unauthenticated_read"),
    ] {
        let asked = json!({"url": NOWHERE, "event_types": ["message.received", kind]});
        let envelope = blind.post("/v0/webhooks", asked).await.require_error(403, "missing_permission");
        assert!(envelope["fix"].as_str().unwrap().contains(permission), "{envelope:#}");
    }
    let spam = create_webhook(&reader, "/v0/webhooks", json!({"event_types": "message.received.spam"})).await;
    assert_eq!(spam["event_types"], json!(["message.received.spam"]));
    create_webhook(&blind, "/v0/webhooks", json!({})).await;
}

#[tokio::test]
async fn invalid_fields_are_all_named_and_unknown_type_is_400() {
    let (_server, agent) = server_and_agent().await;
    let bad = json!({
        "url": "ftp://example.org/",
        "pod_ids": ["nonsense"],
        "headers": {"Content-Type": "text/plain", "X Y": "1", "X-A": "a\nb"},
        "client_id": "a b",
    });
    let mut named = agent.post("/v0/webhooks", bad).await.bad_fields();
    named.sort();
    assert_eq!(named, ["client_id", "headers.Content-Type", "headers.X Y", "headers.X-A", "pod_ids[0]", "url"]);
    assert_eq!(agent.post("/v0/webhooks", json!({})).await.bad_fields(), ["url"]);
    for unknown in ["message.eaten", "label.added", "", "Message.Sent"] {
        let asked = json!({"url": NOWHERE, "event_types": ["message.sent", unknown]});
        agent.post("/v0/webhooks", asked).await.require_error(400, "unknown_event_type");
    }
    assert_eq!(agent.get("/v0/webhooks").await.ok()["count"], 0);
}

#[tokio::test]
async fn url_with_private_address_is_refused_at_creation() {
    let (_server, agent) = server_and_agent().await;
    for url in [
        "http://127.0.0.1:9/hook",
        "http://localhost:9/hook",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://10.0.0.1/",
        "http://192.168.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://user:word@hooks.example.invalid/",
        "file:///etc/passwd",
        "//hooks.example.invalid/",
    ] {
        assert_eq!(agent.post("/v0/webhooks", json!({"url": url})).await.bad_fields(), ["url"], "{url}");
    }
    // A name that does not resolve yet is accepted.
    create_webhook(&agent, "/v0/webhooks", json!({})).await;
}

#[tokio::test]
async fn operator_can_allow_private_addresses() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8,::1/128").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let nothing_happens = json!(["domain.verified"]);
    for url in ["http://127.0.0.1:9/hook", "http://localhost:9/hook"] {
        agent.post("/v0/webhooks", json!({"url": url, "event_types": nothing_happens})).await.ok();
    }
    assert_eq!(agent.post("/v0/webhooks", json!({"url": "http://10.0.0.1/"})).await.bad_fields(), ["url"]);
}

#[tokio::test]
async fn webhooks_are_listed_newest_first_or_oldest_first() {
    let (_server, agent) = server_and_agent().await;
    let first = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let second = create_webhook(&agent, &agent.inbox("/webhooks"), json!({})).await;
    let (first, second) = (first["webhook_id"].as_str().unwrap(), second["webhook_id"].as_str().unwrap());
    let listed = agent.get("/v0/webhooks").await.ok();
    assert_eq!(text_fields(&listed, "webhooks", "webhook_id"), [second, first]);
    let turned = agent.get("/v0/webhooks?ascending=true&limit=1").await.ok();
    assert_eq!((text_fields(&turned, "webhooks", "webhook_id"), &turned["count"]), (vec![first], &json!(1)));
    assert!(turned["next_page_token"].is_string());
}
