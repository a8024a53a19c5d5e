//! `POST /v0/webhooks/{webhook_id}/replay` and `GET /v0/webhooks/attempts`: the attempt log, and replays.

use inboxd_testkit::{HttpClient, eventually};
use serde_json::{Value, json};

use super::{create_webhook, webhook_path};
use crate::support::{in_seconds, mail_to, options, receive, receive_all, server_and_agent, text_fields, uuid};

/// Returns the event ids of attempts, newest attempt first.
async fn attempted_events(agent: &HttpClient, filters: &str) -> Vec<String> {
    let log = agent.get(&format!("/v0/webhooks/attempts?{filters}")).await.ok();
    text_fields(&log, "attempts", "event_id").into_iter().map(str::to_owned).collect()
}

/// Returns the ids of all events, oldest first.
async fn event_ids(agent: &HttpClient) -> Vec<String> {
    let events = agent.get("/v0/events?ascending=true").await.ok();
    text_fields(&events, "events", "event_id").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn replay_since_time_delivers_and_logs_all_events() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    let happened = event_ids(&agent).await;
    // No server listens at this port: every attempt fails and is logged.
    let body = json!({"url": "http://127.0.0.1:1/", "event_types": ["message.received"]});
    let webhook = agent.post("/v0/webhooks", body).await.ok();
    let replay = async |body: Value| agent.post(&webhook_path(&webhook, "/replay"), body).await;
    let moment = agent.get("/v0/events?ascending=true").await.ok()["events"][1]["created_at"].clone();
    let again = replay(json!({"since": moment})).await.ok();
    assert_eq!(again, json!({"webhook_id": webhook["webhook_id"], "queued": 2, "complete": true}));
    let told = eventually("both events have an attempt", async || {
        Some(attempted_events(&agent, "").await).filter(|told| told.len() >= 2)
    })
    .await;
    let distinct: std::collections::BTreeSet<&String> = told.iter().collect();
    assert_eq!(distinct, happened[1..].iter().collect());

    let one = replay(json!({"event_id": happened[0]})).await.ok();
    assert_eq!((&one["queued"], &one["complete"]), (&json!(1), &json!(true)));
    let of_first = format!("event_id={}", happened[0]);
    eventually("the event has an attempt", async || {
        (!attempted_events(&agent, &of_first).await.is_empty()).then_some(())
    })
    .await;

    let log = agent.get(&format!("/v0/webhooks/attempts?{of_first}&limit=1")).await.ok();
    let attempt = &log["attempts"][0];
    assert_eq!(attempt["webhook_id"], webhook["webhook_id"]);
    assert_eq!((&attempt["event_type"], attempt.get("status_code")), (&json!("message.received"), None));
    assert!(attempt["error"].is_string() && attempt["duration_ms"].is_u64(), "{attempt:#}");
    assert!(attempt["attempted_at"].is_string() && attempt["next_attempt_at"].is_string(), "{attempt:#}");
    for (filters, is_there) in [
        ("status=failed", true),
        ("status=succeeded", false),
        ("status_code=200", false),
        ("event_types=message.received,message.sent", true),
        ("event_types=message.sent", false),
        (&format!("webhook_id={}", webhook["webhook_id"].as_str().unwrap()), true),
        ("webhook_id=whk_00000000000000000000000000000000", false),
        (&format!("start={}", in_seconds(60)), false),
        (&format!("end={}", in_seconds(60)), true),
    ] {
        assert_eq!(!attempted_events(&agent, filters).await.is_empty(), is_there, "{filters}");
    }
    agent.get("/v0/webhooks/attempts?event_types=no.such").await.require_error(400, "unknown_event_type");
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({})).await;
    assert_eq!(attempted_events(&key, "").await, [""; 0], "the webhook belongs to the organization");
    // The log retains attempts for a deleted webhook.
    agent.delete(&webhook_path(&webhook, "")).await.require_no_content();
    assert!(!attempted_events(&agent, "").await.is_empty());
}

#[tokio::test]
async fn long_replay_continues_until_all_events_are_queued() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "many")).await;
    // Inserts events for three batches without sending messages.
    let organization_id = uuid(&json!(agent.organization_id)).to_owned();
    let copies = format!(
        "INSERT INTO events SELECT organization_id, created_at + n * interval '10 microseconds', gen_random_uuid(), event_type,
             pod_id, inbox_id, thread_id, message_id, body
         FROM events, generate_series(1, 4500) n WHERE organization_id = '{organization_id}';
         INSERT INTO feed_pending SELECT organization_id, event_id, created_at, event_type, pod_id, inbox_id FROM events e
         WHERE organization_id = '{organization_id}' AND NOT EXISTS (
             SELECT FROM feed f WHERE f.organization_id = e.organization_id AND f.event_id = e.event_id)
         ON CONFLICT DO NOTHING"
    );
    server.database().execute(&copies).await;
    let placed = format!("SELECT 1 / (count(*) / 4501) FROM feed WHERE organization_id = '{organization_id}'");
    eventually("all events have positions", async || server.database().try_execute(&placed).await.ok()).await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"event_types": ["message.received"]})).await;
    let again = agent.post(&webhook_path(&webhook, "/replay"), json!({"since": "2020-01-01T00:00:00Z"})).await;
    again.require_error(400, "cursor_expired");
    let start = agent.get("/v0/events?ascending=true&limit=1").await.ok()["events"][0]["created_at"].clone();
    eventually("all events are in the past", async || {
        let last = format!(
            "SELECT 1 / (CASE WHEN max(created_at) < now() THEN 1 ELSE 0 END) FROM events
             WHERE organization_id = '{organization_id}'"
        );
        server.database().try_execute(&last).await.ok()
    })
    .await;
    let again = agent.post(&webhook_path(&webhook, "/replay"), json!({"since": start})).await.ok();
    assert_eq!(again["complete"], false, "{again:#}");
    let complete = "SELECT 1 / (CASE WHEN count(*) = 0 THEN 1 ELSE 0 END) FROM webhook_replays";
    eventually("the replay is complete", async || server.database().try_execute(complete).await.ok()).await;
    let queued = format!(
        "DO $$ BEGIN ASSERT (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = '{}') = 4501; END $$",
        uuid(&webhook["webhook_id"])
    );
    server.database().execute(&queued).await;
}

#[tokio::test]
async fn replay_needs_event_or_time_within_subscription() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let event = event_ids(&agent).await.remove(0);
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"event_types": ["message.sent"]})).await;
    let replay = async |body: Value| agent.post(&webhook_path(&webhook, "/replay"), body).await;
    assert_eq!(replay(json!({})).await.bad_fields(), ["event_id"]);
    assert_eq!(replay(json!({"event_id": event, "since": in_seconds(0)})).await.bad_fields(), ["event_id"]);
    assert_eq!(replay(json!({"since": "yesterday"})).await.bad_fields(), ["since"]);
    assert_eq!(
        replay(json!({"event_id": event})).await.bad_fields(),
        ["event_id"],
        "the webhook subscribes to other types"
    );
    for unknown in ["evt_01900000000070008000000000000000", "nonsense"] {
        let answer = replay(json!({"event_id": unknown})).await;
        assert!([400, 404].contains(&answer.status), "{}", answer.text());
    }
    replay(json!({"event_id": "nonsense"})).await.require_error(404, "not_found");
    let envelope = replay(json!({"since": "2001-01-01T00:00:00Z"})).await.require_error(400, "cursor_expired");
    assert!(envelope["fix"].as_str().unwrap().contains("since"), "{envelope:#}");
    assert_eq!(replay(json!({"since": in_seconds(0)})).await.ok()["queued"], 0);
    agent.patch(&webhook_path(&webhook, ""), json!({"enabled": false})).await.ok();
    let envelope = replay(json!({"since": in_seconds(0)})).await.require_error(409, "conflict");
    assert!(envelope["fix"].as_str().unwrap().contains("enabled"), "{envelope:#}");
    // For the webhook of another inbox the event does not exist.
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let of_desk = create_webhook(&agent, "/v0/inboxes/desk@inboxd.localhost/webhooks", json!({})).await;
    agent.post(&webhook_path(&of_desk, "/replay"), json!({"event_id": event})).await.require_error(404, "not_found");
}
