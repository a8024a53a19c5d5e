//! `/v0/webhooks/{webhook_id}/headers`: write-only values.

use serde_json::{Value, json};

use super::{create_webhook, webhook_path};
use crate::support::server_and_agent;

#[tokio::test]
async fn header_names_are_shown_and_values_never() {
    let (_server, agent) = server_and_agent().await;
    let headers = json!({"Authorization": "Bearer confidential", "X-Team": "a"});
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"headers": headers})).await;
    let path = |rest: &str| webhook_path(&webhook, rest);
    let names = async || agent.get(&path("/headers")).await.ok()["header_names"].clone();
    assert_eq!(names().await, json!(["Authorization", "X-Team"]));
    let change = json!({"headers": {"x-team": "b", "X-Desk": "c"}, "remove_headers": ["AUTHORIZATION", "X-Gone"]});
    let changed = agent.patch(&path("/headers"), change).await;
    assert_eq!((changed.status, changed.text()), (204, String::new()));
    assert_eq!(names().await, json!(["X-Desk", "x-team"]));
    for target in [path(""), path("/headers"), "/v0/webhooks".to_owned()] {
        let shown = agent.get(&target).await.text();
        assert!(!shown.contains("confidential"), "{target}: {shown}");
    }
    agent.patch(&path("/headers"), json!({"remove_headers": ["x-desk", "X-Team"]})).await.require_no_content();
    assert_eq!(names().await, json!([]));
}

#[tokio::test]
async fn header_change_is_atomic_and_names_invalid_fields() {
    let (_server, agent) = server_and_agent().await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"headers": {"X-Team": "a"}})).await;
    let change = async |body: Value| agent.patch(&webhook_path(&webhook, "/headers"), body).await;
    for (body, bad) in [
        (json!({}), "headers"),
        (json!({"headers": {}, "remove_headers": []}), "headers"),
        (json!({"headers": {"X-A": "1"}, "remove_headers": ["x-a"]}), "remove_headers[0]"),
        (json!({"headers": {"X-A": "1", "Host": "x"}}), "headers.Host"),
        (json!({"headers": {"webhook-id": "x"}}), "headers.webhook-id"),
        (json!({"headers": {"X-A": "1", "x-a": "2"}}), "headers.x-a"),
        (json!({"headers": {"X-A": "a\r\nX-B: b"}}), "headers.X-A"),
        (json!({"headers": {"X-A": 1}}), "headers.X-A"),
        (json!({"headers": {"X-A": "v".repeat(5_000)}}), "headers.X-A"),
    ] {
        assert_eq!(change(body).await.bad_fields(), [bad]);
    }
    let many: serde_json::Map<String, Value> = (0..20).map(|number| (format!("X-{number}"), json!("v"))).collect();
    assert_eq!(change(json!({"headers": many})).await.bad_fields(), ["headers"], "21 with the existing one");
    let names = agent.get(&webhook_path(&webhook, "/headers")).await.ok()["header_names"].clone();
    assert_eq!(names, json!(["X-Team"]));
}
