//! Mail with a hiding label, visible to subscriptions that name its type and may read it.

use serde_json::json;

use super::{deliver_mail, event_subject, require_no_content, start_feed};

#[tokio::test]
async fn subscription_without_types_omits_hidden_mail() {
    let (server, agent, first) = start_feed().await;
    let (mut plain, _) = agent.open_subscribed_socket(json!({})).await;
    let kinds = json!(["message.received", "message.received.blocked"]);
    let (mut naming, told) = agent.open_subscribed_socket(json!({"event_types": kinds})).await;
    assert_eq!(told["event_types"], kinds);
    agent.post("/v0/lists/receive/block", json!({"entry": "outside.example"})).await.ok();
    deliver_mail(&server, &agent.inbox_id, "blocked").await;
    agent.delete("/v0/lists/receive/block/outside.example").await.require_no_content();
    deliver_mail(&server, &agent.inbox_id, "welcome").await;
    let event = naming.next_event().await;
    assert_eq!((event_subject(&event), &event["event_type"]), ("blocked", &json!("message.received.blocked")));
    assert_eq!(event_subject(&naming.next_event().await), "welcome");
    assert_eq!(event_subject(&plain.next_event().await), "welcome");
    // The same applies to past events.
    let (mut again, _) = agent.open_subscribed_socket(json!({"after_event_id": first})).await;
    assert_eq!(event_subject(&again.next_event().await), "welcome");
}

#[tokio::test]
async fn hidden_event_type_needs_label_permission() {
    let (server, agent, _) = start_feed().await;
    let map = json!({"permissions": {"event_read": true, "message_read": true}});
    let mut socket = agent.create_key("/v0/api-keys", map).await.open_socket("/v0").await.unwrap();
    for label in ["spam", "blocked", "unauthenticated"] {
        let told = socket.subscribe(json!({"event_types": [format!("message.received.{label}")]})).await;
        assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("missing_permission")), "{told:#}");
        assert!(told["fix"].as_str().unwrap().contains(&format!("label_{label}_read")), "{told:#}");
    }
    assert_eq!(socket.subscribe(json!({"event_types": ["message.received"]})).await["type"], "subscribed");
    deliver_mail(&server, &agent.inbox_id, "welcome").await;
    assert_eq!(event_subject(&socket.next_event().await), "welcome");
}

#[tokio::test]
async fn subscriber_that_loses_label_permission_receives_no_hidden_mail() {
    let (server, agent, _) = start_feed().await;
    let map =
        |reads: bool| json!({"permissions": {"event_read": true, "message_read": true, "label_blocked_read": reads}});
    let made = agent.post("/v0/api-keys", map(true)).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    let kinds = json!({"event_types": ["message.received", "message.received.blocked"]});
    let (mut socket, _) = key.open_subscribed_socket(kinds.clone()).await;
    agent.post("/v0/lists/receive/block", json!({"entry": "outside.example"})).await.ok();
    deliver_mail(&server, &agent.inbox_id, "blocked").await;
    assert_eq!(event_subject(&socket.next_event().await), "blocked");
    for _ in 0..5 {
        agent.patch(&path, map(false)).await.ok();
        deliver_mail(&server, &agent.inbox_id, "secret").await;
        require_no_content(&socket.next_event().await);
        let told = key.open_socket("/v0").await.unwrap().subscribe(kinds.clone()).await;
        assert_eq!(told["code"], "missing_permission", "a new subscription applies it next to an old one");
        agent.patch(&path, map(true)).await.ok();
        deliver_mail(&server, &agent.inbox_id, "no secret").await;
        assert_eq!(event_subject(&socket.next_event().await), "no secret");
    }
}
