//! Ids of events that are older than events are kept.

use std::time::Duration;

use inboxd_testkit::Request;
use serde_json::json;

use super::{behind, made_before, mail, newest, subjects};
use crate::support::{options, server_and_agent};

const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn an_id_older_than_the_retention_has_expired_for_every_reader() {
    let (server, agent) = server_and_agent().await;
    mail(&server, &agent.inbox_id, "first").await;
    let old = made_before(HOUR * 24 * 366);
    let refusal = agent.get(&behind(&old)).await.refused(400, "cursor_expired");
    assert_eq!(refusal["name"], "BadRequestError");
    assert!(refusal["message"].as_str().unwrap().contains(&old), "{refusal:#}");
    agent.get(&behind(&made_before(HOUR * 24 * 364))).await.refused(404, "not_found");
    agent.get(&format!("{}&wait=60", behind(&old))).await.refused(400, "cursor_expired");
    agent.stream(Request::new("GET", &behind(&old))).await.unwrap_err().refused(400, "cursor_expired");
    let mut socket = agent.socket("/v0").await.unwrap();
    let told = socket.subscribe(json!({"after_event_id": old})).await;
    assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("cursor_expired")), "{told:#}");
    assert_eq!(socket.subscribe(json!({})).await["type"], "subscribed", "the connection stays");
}

#[tokio::test]
async fn the_operator_says_how_long_events_are_kept() {
    let server = options().set("INBOXD_EVENT_RETENTION_DAYS", "1").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    mail(&server, &agent.inbox_id, "first").await;
    let first = newest(&agent).await;
    mail(&server, &agent.inbox_id, "second").await;
    assert_eq!(subjects(&agent.get(&behind(&first)).await.ok()), ["second"]);
    agent.get(&behind(&made_before(HOUR * 25))).await.refused(400, "cursor_expired");
    agent.get(&behind(&made_before(HOUR * 23))).await.refused(404, "not_found");
}
