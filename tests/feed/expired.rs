//! Expired event ids, beyond the retention of events.

use std::time::Duration;

use inboxd_testkit::HttpRequest;
use serde_json::json;

use super::{deliver_mail, event_id_before, newest_event_id, page_subjects, path_after};
use crate::support::{options, server_and_agent};

const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn event_id_beyond_retention_is_expired_for_every_reader() {
    let (server, agent) = server_and_agent().await;
    deliver_mail(&server, &agent.inbox_id, "first").await;
    let old = event_id_before(HOUR * 24 * 366);
    let refusal = agent.get(&path_after(&old)).await.require_error(400, "cursor_expired");
    assert_eq!(refusal["name"], "BadRequestError");
    assert!(refusal["message"].as_str().unwrap().contains(&old), "{refusal:#}");
    agent.get(&path_after(&event_id_before(HOUR * 24 * 364))).await.require_error(404, "not_found");
    agent.get(&format!("{}&wait=60", path_after(&old))).await.require_error(400, "cursor_expired");
    agent
        .open_stream(HttpRequest::new("GET", &path_after(&old)))
        .await
        .unwrap_err()
        .require_error(400, "cursor_expired");
    let mut socket = agent.open_socket("/v0").await.unwrap();
    let told = socket.subscribe(json!({"after_event_id": old})).await;
    assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("cursor_expired")), "{told:#}");
    assert_eq!(socket.subscribe(json!({})).await["type"], "subscribed", "the connection stays");
}

#[tokio::test]
async fn operator_configures_event_retention() {
    let server = options().set("INBOXD_EVENT_RETENTION_DAYS", "1").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    deliver_mail(&server, &agent.inbox_id, "first").await;
    let first = newest_event_id(&agent).await;
    deliver_mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(page_subjects(&agent.get(&path_after(&first)).await.ok()), ["second"]);
    agent.get(&path_after(&event_id_before(HOUR * 25))).await.require_error(400, "cursor_expired");
    agent.get(&path_after(&event_id_before(HOUR * 23))).await.require_error(404, "not_found");
}
