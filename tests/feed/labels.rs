//! Mail with a hiding label: told to those who name its kind and may read it.

use serde_json::json;

use super::{is_bare, mail, started, subject};

#[tokio::test]
async fn a_subscription_that_names_no_kinds_leaves_hidden_mail_out() {
    let (server, agent, first) = started().await;
    let (mut plain, _) = agent.subscribed(json!({})).await;
    let kinds = json!(["message.received", "message.received.blocked"]);
    let (mut naming, told) = agent.subscribed(json!({"event_types": kinds})).await;
    assert_eq!(told["event_types"], kinds);
    agent.post("/v0/lists/receive/block", json!({"entry": "outside.example"})).await.ok();
    mail(&server, &agent.inbox_id, "blocked").await;
    agent.delete("/v0/lists/receive/block/outside.example").await.gone();
    mail(&server, &agent.inbox_id, "welcome").await;
    let event = naming.event().await;
    assert_eq!((subject(&event), &event["event_type"]), ("blocked", &json!("message.received.blocked")));
    assert_eq!(subject(&naming.event().await), "welcome");
    assert_eq!(subject(&plain.event().await), "welcome");
    // So does the past that is told again.
    let (mut again, _) = agent.subscribed(json!({"after_event_id": first})).await;
    assert_eq!(subject(&again.event().await), "welcome");
}

#[tokio::test]
async fn naming_a_hidden_kind_takes_the_right_to_read_it() {
    let (server, agent, _) = started().await;
    let map = json!({"permissions": {"event_read": true, "message_read": true}});
    let mut socket = agent.key_with("/v0/api-keys", map).await.socket("/v0").await.unwrap();
    for label in ["spam", "blocked", "unauthenticated"] {
        let told = socket.subscribe(json!({"event_types": [format!("message.received.{label}")]})).await;
        assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("missing_permission")), "{told:#}");
        assert!(told["fix"].as_str().unwrap().contains(&format!("label_{label}_read")), "{told:#}");
    }
    assert_eq!(socket.subscribe(json!({"event_types": ["message.received"]})).await["type"], "subscribed");
    mail(&server, &agent.inbox_id, "welcome").await;
    assert_eq!(subject(&socket.event().await), "welcome");
}

#[tokio::test]
async fn whoever_loses_the_right_to_read_hidden_mail_sees_no_more_of_it() {
    let (server, agent, _) = started().await;
    let map =
        |reads: bool| json!({"permissions": {"event_read": true, "message_read": true, "label_blocked_read": reads}});
    let made = agent.post("/v0/api-keys", map(true)).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let key = server.http().with_key(made["api_key"].as_str().unwrap());
    let kinds = json!({"event_types": ["message.received", "message.received.blocked"]});
    let (mut socket, _) = key.subscribed(kinds.clone()).await;
    agent.post("/v0/lists/receive/block", json!({"entry": "outside.example"})).await.ok();
    mail(&server, &agent.inbox_id, "blocked").await;
    assert_eq!(subject(&socket.event().await), "blocked");
    for _ in 0..5 {
        agent.patch(&path, map(false)).await.ok();
        mail(&server, &agent.inbox_id, "secret").await;
        is_bare(&socket.event().await);
        let told = key.socket("/v0").await.unwrap().subscribe(kinds.clone()).await;
        assert_eq!(told["code"], "missing_permission", "a new subscription knows it, beside an old one");
        agent.patch(&path, map(true)).await.ok();
        mail(&server, &agent.inbox_id, "no secret").await;
        assert_eq!(subject(&socket.event().await), "no secret");
    }
}
