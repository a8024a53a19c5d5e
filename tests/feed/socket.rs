//! `GET /v0`: connection, subscription and delivery of events.

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::json;

use super::{deliver_mail, event_id, event_subject, newest_event_id, start_feed};
use crate::support::in_seconds;

#[tokio::test]
async fn upgrade_needs_valid_key() {
    let (server, agent, _) = start_feed().await;
    let expired = agent.post("/v0/api-keys", json!({"name": "short", "expires_at": in_seconds(2)})).await.ok();
    let expired = expired["api_key"].as_str().unwrap();
    let short = server.http().with_key(expired);
    eventually("the key expires", async || (short.get("/v0/inboxes").await.status == 401).then_some(())).await;
    for (key, code) in [("am_unknown", "unknown_api_key"), (expired, "api_key_expired")] {
        server.http().with_key(key).open_socket("/v0").await.unwrap_err().require_error(401, code);
        server.http().open_socket(&format!("/v0?api_key={key}")).await.unwrap_err().require_error(401, code);
    }
    server.http().open_socket("/v0").await.unwrap_err().require_error(401, "missing_authorization");
    server.http().open_socket("/v0?api_key=").await.unwrap_err().require_error(401, "unknown_api_key");
    // The refusal for the key precedes all other checks.
    server.http().get("/v0").await.require_error(401, "missing_authorization");
}

#[tokio::test]
async fn key_is_read_from_header_or_query() {
    let (server, agent, _) = start_feed().await;
    let target = format!("/v0?api_key={}", agent.key);
    let mut by_query = server.http().open_socket(&target).await.unwrap();
    let mut by_header = agent.open_socket("/v0").await.unwrap();
    // The header takes precedence.
    server.http().with_key("am_unknown").open_socket(&target).await.unwrap_err().require_error(401, "unknown_api_key");
    for socket in [&mut by_query, &mut by_header] {
        assert_eq!(socket.subscribe(json!({})).await["type"], "subscribed");
    }
    deliver_mail(&server, &agent.inbox_id, "second").await;
    for mut socket in [by_query, by_header] {
        assert_eq!(event_subject(&socket.next_event().await), "second");
    }
    // The log contains no part of a key from a URL.
    assert!(!server.log().lines().iter().any(|line| line.contains(&agent.key)));
}

#[tokio::test]
async fn request_without_upgrade_is_refused_with_explanation() {
    let (_server, agent, _) = start_feed().await;
    let plain = agent.get("/v0").await;
    assert_eq!(plain.header("Upgrade"), Some("websocket"));
    plain.require_error(426, "upgrade_required");
    let old = HttpRequest::new("GET", "/v0")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("Sec-WebSocket-Version", "12");
    let answer = agent.call(old).await;
    assert_eq!(answer.header("Sec-WebSocket-Version"), Some("13"));
    assert!(answer.require_error(426, "upgrade_required")["fix"].as_str().unwrap().contains("13"));
}

#[tokio::test]
async fn events_are_sent_after_subscription_as_listed() {
    let (server, agent, _) = start_feed().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    deliver_mail(&server, &agent.inbox_id, "before").await;
    let told = socket.subscribe(json!({})).await;
    let kinds = [
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
    assert_eq!(told, json!({"type": "subscribed", "event_types": kinds}), "all mail except hidden mail");
    deliver_mail(&server, &agent.inbox_id, "after").await;
    let event = socket.next_event().await;
    assert_eq!(event_subject(&event), "after");
    assert_eq!(agent.get("/v0/events?limit=1").await.ok()["events"][0], event);
}

#[tokio::test]
async fn subscription_is_filtered_by_types_inboxes_and_pods() {
    let readers = super::visibility::ScopedReaders::new().await;
    let agent = &readers.agent;
    let upper = readers.ranger.to_uppercase();
    let (mut sent, told) = agent.open_subscribed_socket(json!({"event_types": ["message.sent"]})).await;
    assert_eq!(told, json!({"type": "subscribed", "event_types": ["message.sent"]}));
    let (mut ranger, told) = agent.open_subscribed_socket(json!({"inbox_ids": [upper]})).await;
    assert_eq!(told["inbox_ids"], json!([readers.ranger]));
    let (mut pod, told) = agent.open_subscribed_socket(json!({"pod_ids": readers.far_pod, "event_types": null})).await;
    assert_eq!((&told["pod_ids"], told.get("inbox_ids")), (&json!([readers.far_pod]), None));
    let both =
        json!({"inbox_ids": [agent.inbox_id], "pod_ids": [readers.far_pod], "event_types": ["message.received"]});
    let (mut both, _) = agent.open_subscribed_socket(both).await;
    readers.mail_everywhere("first").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    readers.mail_everywhere("second").await;
    assert_eq!(event_subject(&sent.next_event().await), "message.sent");
    for about in ["first", "second"] {
        assert_eq!(event_subject(&ranger.next_event().await), format!("{about} to ranger"));
        assert_eq!(event_subject(&pod.next_event().await), format!("{about} to far"));
        assert_eq!(event_subject(&both.next_event().await), format!("{about} to far"));
        assert_eq!(event_subject(&both.next_event().await), format!("{about} to scout"), "events of any named type");
    }
}

#[tokio::test]
async fn invalid_subscription_is_refused_on_open_connection() {
    let (server, agent, first) = start_feed().await;
    let mut socket = agent.open_socket("/v0").await.unwrap();
    let many: Vec<String> = (0..101).map(|number| format!("a{number}@b.example")).collect();
    let cases = [
        (json!({"event_types": ["message.flown"]}), "BadRequestError", "unknown_event_type"),
        (json!({"event_types": ["label.added"]}), "BadRequestError", "unknown_event_type"),
        (json!({"event_types": 1}), "ValidationError", "validation_error"),
        (json!({"inbox_ids": many}), "ValidationError", "validation_error"),
        (json!({"inbox_ids": ["nobody@inboxd.localhost"]}), "NotFoundError", "not_found"),
        (json!({"pod_ids": ["pod_00000000000000000000000000000000"]}), "NotFoundError", "not_found"),
        (json!({"pod_ids": ["x"]}), "NotFoundError", "not_found"),
        (json!({"after_event_id": "x"}), "NotFoundError", "not_found"),
    ];
    for (fields, name, code) in cases {
        let told = socket.subscribe(fields.clone()).await;
        assert_eq!(
            (&told["type"], &told["name"], &told["code"]),
            (&json!("error"), &json!(name), &json!(code)),
            "{fields}: {told:#}"
        );
        for field in ["message", "fix", "docs"] {
            assert!(!told[field].as_str().unwrap_or("").is_empty(), "{fields}: {told:#}");
        }
    }
    for nonsense in [json!({"type": "unsubscribe"}), json!([]), json!("subscribe"), json!({})] {
        socket.send_json(&nonsense).await;
        assert_eq!(socket.next_json().await["code"], "validation_error", "{nonsense}");
    }
    // The existing subscription continues unchanged.
    assert_eq!(socket.subscribe(json!({"after_event_id": first})).await["type"], "subscribed");
    assert_eq!(socket.subscribe(json!({"event_types": ["message.flown"]})).await["type"], "error");
    deliver_mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(event_subject(&socket.next_event().await), "second");
}

#[tokio::test]
async fn repeated_subscribe_changes_filter_without_gap() {
    let (server, agent, first) = start_feed().await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({"event_types": ["message.received"]})).await;
    deliver_mail(&server, &agent.inbox_id, "third").await;
    assert_eq!(event_subject(&socket.next_event().await), "third");
    let told = socket.subscribe(json!({"event_types": ["message.sent"]})).await;
    assert_eq!(told["event_types"], json!(["message.sent"]));
    deliver_mail(&server, &agent.inbox_id, "fourth").await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    let sent = socket.next_event().await;
    assert_eq!(event_subject(&sent), "message.sent");
    // A subscription with an event id goes back to that event.
    let again = json!({"event_types": ["message.received"], "after_event_id": first});
    assert_eq!(socket.subscribe(again).await["type"], "subscribed");
    for about in ["second", "third", "fourth"] {
        assert_eq!(event_subject(&socket.next_event().await), about);
    }
    assert!(newest_event_id(&agent).await >= event_id(&sent));
}
