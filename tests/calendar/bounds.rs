//! Bounds of the fields and of the number of events.

use serde_json::json;

use super::changes::{create, created, path_of, weekly, with};
use crate::support::server_and_agent;

#[tokio::test]
async fn texts_of_an_event_are_bounded_together_over_several_changes() {
    let (_server, agent) = server_and_agent().await;
    let path = path_of(&agent, &created(&agent, weekly()).await["event_id"]);
    let refused =
        agent.patch(&path, json!({"description": "x".repeat(8_193)})).await.require_error(422, "validation_error");
    assert!(refused["errors"][0]["message"].as_str().unwrap().contains("8192 bytes"), "{refused:#}");
    let with_comments = |bytes: usize| {
        let one = |name: &str| json!({"email": format!("{name}@outside.example"), "comment": "x".repeat(bytes)});
        json!({"attendees": [one("a"), one("b"), one("c")]})
    };
    agent.patch(&path, json!({"description": "x".repeat(8_192)})).await.ok();
    agent.patch(&path, json!({"metadata": "x".repeat(16_382)})).await.ok();
    // With 24,576 bytes of both, 8,192 bytes are left.
    let refused = agent.patch(&path, with_comments(2_731)).await;
    assert_eq!(refused.bad_fields(), ["attendees"]);
    let refused = refused.require_error(422, "validation_error");
    assert!(refused["errors"][0]["message"].as_str().unwrap().contains("32768 bytes"), "{refused:#}");
    agent.patch(&path, with_comments(2_730)).await.ok();
    agent.patch(&path, json!({"title": "Elm"})).await.ok();
}

#[tokio::test]
async fn fields_and_number_of_events_are_bounded() {
    let (server, agent) = server_and_agent().await;
    let event = created(&agent, weekly()).await;
    let path = path_of(&agent, &event["event_id"]);
    let bob = json!({"email": "bob@outside.example"});
    for (field, value, bad) in [
        ("title", json!(""), "title"),
        ("title", json!("x".repeat(1_001)), "title"),
        ("title", json!("a\nb"), "title"),
        ("location", json!("x".repeat(1_025)), "location"),
        ("description", json!("x".repeat(8_193)), "description"),
        ("description", json!("\u{0}"), "description"),
        ("metadata", json!("x".repeat(16_385)), "metadata"),
        ("metadata", json!({"a": "\u{0}"}), "metadata"),
        ("metadata", (0..65).fold(json!(1), |value, _| json!([value])), "metadata"),
        ("status", json!("maybe"), "status"),
        ("duration_mode", json!("exact"), "duration_mode"),
        ("attendees", json!([{"email": "x"}]), "attendees[0].email"),
        ("attendees", json!([bob, {"email": "BOB@outside.example"}]), "attendees[1].email"),
        ("attendees", json!([{"email": "bob@outside.example", "role": "chair"}]), "attendees[0].role"),
        ("attendees", json!(vec![bob; 101]), "attendees"),
        ("recurrence", json!({"rule": "FREQ=HOURLY"}), "recurrence.rule"),
        ("recurrence", json!({"rule": "FREQ=DAILY", "rdates": [{"start": "2026-10-05"}]}), "recurrence.rdates[0]"),
    ] {
        let body = json!({field: value});
        assert_eq!(agent.patch(&path, body).await.bad_fields(), [bad], "{field}");
        assert_eq!(create(&agent, with(weekly(), field, value)).await.bad_fields(), [bad], "{field}");
    }
    for (body, bad) in [
        (json!({"start": "2026-10-05T14:00:00"}), "end"),
        (json!({"all_day": true}), "all_day"),
        (json!({"timezone": "Nowhere"}), "timezone"),
        (json!({"start": "2026-10-05T14:00:00", "end": "2026-10-05T13:00:00"}), "end"),
    ] {
        assert_eq!(agent.patch(&path, body.clone()).await.bad_fields(), [bad], "{body}");
    }
    assert_eq!(create(&agent, json!({})).await.bad_fields(), ["end", "start", "title"]);
    assert_eq!(agent.get(&path).await.ok(), event);
    let copies = "INSERT INTO calendar_events SELECT organization_id, inbox_id, event_id || n, series_id, uid || n, '',
        '', content, starts_at, ends_at, created_at, updated_at FROM calendar_events, generate_series(1, 999) n";
    server.database().execute(copies).await;
    create(&agent, weekly()).await.require_error(429, "resource_limit_reached");
    let date = format!("{path}_20261019T140000");
    agent.patch(&date, json!({"title": "x"})).await.require_error(429, "resource_limit_reached");
    agent.patch(&path, json!({"title": "x"})).await.ok();
}
