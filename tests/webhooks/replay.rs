//! `POST /v0/webhooks/{webhook_id}/replay` and `GET /v0/webhooks/attempts`: what was sent, and sending it again.

use inboxd_testkit::{Http, eventually};
use serde_json::{Value, json};

use super::{made, path};
use crate::support::{each, in_seconds, mail_to, options, receive, receive_all, server_and_agent, uuid};

/// The events that attempts were made of, newest attempt first.
async fn attempted(agent: &Http, filters: &str) -> Vec<String> {
    let log = agent.get(&format!("/v0/webhooks/attempts?{filters}")).await.ok();
    each(&log, "attempts", "event_id").into_iter().map(str::to_owned).collect()
}

/// The ids of all events, oldest first.
async fn events(agent: &Http) -> Vec<String> {
    let events = agent.get("/v0/events?ascending=true").await.ok();
    each(&events, "events", "event_id").into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn everything_since_a_moment_is_told_again_and_logged() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.0/8").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive_all(&server, &agent, &["one", "two", "three"]).await;
    let happened = events(&agent).await;
    // Nothing listens at this port: every attempt fails, and is in the log.
    let body = json!({"url": "http://127.0.0.1:1/", "event_types": ["message.received"]});
    let webhook = agent.post("/v0/webhooks", body).await.ok();
    let replay = async |body: Value| agent.post(&path(&webhook, "/replay"), body).await;
    let moment = agent.get("/v0/events?ascending=true").await.ok()["events"][1]["created_at"].clone();
    let again = replay(json!({"since": moment})).await.ok();
    assert_eq!(again, json!({"webhook_id": webhook["webhook_id"], "queued": 2, "complete": true}));
    let told =
        eventually("both are tried", async || Some(attempted(&agent, "").await).filter(|told| told.len() >= 2)).await;
    let distinct: std::collections::BTreeSet<&String> = told.iter().collect();
    assert_eq!(distinct, happened[1..].iter().collect());

    let one = replay(json!({"event_id": happened[0]})).await.ok();
    assert_eq!((&one["queued"], &one["complete"]), (&json!(1), &json!(true)));
    let of_first = format!("event_id={}", happened[0]);
    eventually("it is tried", async || (!attempted(&agent, &of_first).await.is_empty()).then_some(())).await;

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
        assert_eq!(!attempted(&agent, filters).await.is_empty(), is_there, "{filters}");
    }
    agent.get("/v0/webhooks/attempts?event_types=no.such").await.refused(400, "unknown_event_type");
    let key = agent.key_with(&agent.inbox("/api-keys"), json!({})).await;
    assert_eq!(attempted(&key, "").await, [""; 0], "the webhook is the organization's");
    // What was sent to a webhook that is gone is still in the log.
    agent.delete(&path(&webhook, "")).await.gone();
    assert!(!attempted(&agent, "").await.is_empty());
}

#[tokio::test]
async fn a_long_replay_goes_on_by_itself_until_all_is_queued() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "many")).await;
    // As many events as take three stretches, without sending so many mails.
    let organization_id = uuid(&json!(agent.organization_id)).to_owned();
    let copies = format!(
        "INSERT INTO events SELECT organization_id, created_at + n * interval '1 millisecond', gen_random_uuid(), event_type,
             pod_id, inbox_id, thread_id, message_id, body
         FROM events, generate_series(1, 4500) n WHERE organization_id = '{organization_id}';
         INSERT INTO feed_pending SELECT organization_id, event_id, created_at, event_type, pod_id, inbox_id FROM events e
         WHERE organization_id = '{organization_id}' AND NOT EXISTS (
             SELECT FROM feed f WHERE f.organization_id = e.organization_id AND f.event_id = e.event_id)
         ON CONFLICT DO NOTHING"
    );
    server.database().execute(&copies).await;
    let placed = format!("SELECT 1 / (count(*) / 4501) FROM feed WHERE organization_id = '{organization_id}'");
    eventually("all have a place", async || server.database().try_execute(&placed).await.ok()).await;
    let webhook = made(&agent, "/v0/webhooks", json!({"event_types": ["message.received"]})).await;
    let again = agent.post(&path(&webhook, "/replay"), json!({"since": "2020-01-01T00:00:00Z"})).await;
    again.refused(400, "cursor_expired");
    let start = agent.get("/v0/events?ascending=true&limit=1").await.ok()["events"][0]["created_at"].clone();
    eventually("all have happened", async || {
        let last = format!(
            "SELECT 1 / (CASE WHEN max(created_at) < now() THEN 1 ELSE 0 END) FROM events
             WHERE organization_id = '{organization_id}'"
        );
        server.database().try_execute(&last).await.ok()
    })
    .await;
    let again = agent.post(&path(&webhook, "/replay"), json!({"since": start})).await.ok();
    assert_eq!(again["complete"], false, "{again:#}");
    let complete = "SELECT 1 / (CASE WHEN count(*) = 0 THEN 1 ELSE 0 END) FROM webhook_replays";
    eventually("it is complete", async || server.database().try_execute(complete).await.ok()).await;
    let queued = format!(
        "DO $$ BEGIN ASSERT (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = '{}') = 4501; END $$",
        uuid(&webhook["webhook_id"])
    );
    server.database().execute(&queued).await;
}

#[tokio::test]
async fn a_replay_names_one_of_event_and_moment_that_the_webhook_listens_to() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let event = events(&agent).await.remove(0);
    let webhook = made(&agent, "/v0/webhooks", json!({"event_types": ["message.sent"]})).await;
    let replay = async |body: Value| agent.post(&path(&webhook, "/replay"), body).await;
    assert_eq!(replay(json!({})).await.bad_fields(), ["event_id"]);
    assert_eq!(replay(json!({"event_id": event, "since": in_seconds(0)})).await.bad_fields(), ["event_id"]);
    assert_eq!(replay(json!({"since": "yesterday"})).await.bad_fields(), ["since"]);
    assert_eq!(replay(json!({"event_id": event})).await.bad_fields(), ["event_id"], "it listens to other kinds");
    for unknown in ["evt_01900000000070008000000000000000", "nonsense"] {
        let answer = replay(json!({"event_id": unknown})).await;
        assert!([400, 404].contains(&answer.status), "{}", answer.text());
    }
    replay(json!({"event_id": "nonsense"})).await.refused(404, "not_found");
    let envelope = replay(json!({"since": "2001-01-01T00:00:00Z"})).await.refused(400, "cursor_expired");
    assert!(envelope["fix"].as_str().unwrap().contains("since"), "{envelope:#}");
    assert_eq!(replay(json!({"since": in_seconds(0)})).await.ok()["queued"], 0);
    agent.patch(&path(&webhook, ""), json!({"enabled": false})).await.ok();
    let envelope = replay(json!({"since": in_seconds(0)})).await.refused(409, "conflict");
    assert!(envelope["fix"].as_str().unwrap().contains("enabled"), "{envelope:#}");
    // To the webhook of another inbox an event is not there.
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let of_desk = made(&agent, "/v0/inboxes/desk@inboxd.localhost/webhooks", json!({})).await;
    agent.post(&path(&of_desk, "/replay"), json!({"event_id": event})).await.refused(404, "not_found");
}
