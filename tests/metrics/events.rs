//! `GET /v0/metrics/events`: counts over time by organization, pod and inbox.

use inboxd_testkit::{Persona, encoded};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::support::{receive_all, server_and_agent};

/// Returns the number of events by type.
fn totals(answer: &Value) -> Value {
    let sum = |buckets: &Value| {
        buckets.as_array().unwrap().iter().map(|bucket| bucket["count"].as_u64().unwrap()).sum::<u64>()
    };
    answer.as_object().unwrap().iter().map(|(kind, buckets)| (kind.clone(), json!(sum(buckets)))).collect()
}

async fn event_totals(agent: &Persona, target: &str) -> Value {
    totals(&agent.get(target).await.ok())
}

#[tokio::test]
async fn metrics_count_by_organization_pod_and_inbox() {
    let (server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    receive_all(&server, &agent, &["1", "2"]).await;
    let body = json!({"to": agent.inbox_id, "text": "hello"});
    agent.post("/v0/inboxes/desk@inboxd.localhost/messages/send", body).await.ok();
    inboxd_testkit::eventually("the message is delivered", async || {
        let counts = event_totals(&agent, "/v0/metrics/events").await;
        counts.get("message.delivered").map(|_| ())
    })
    .await;
    let scout = &agent.inbox_id;
    let whole = json!({"message.received": 3, "message.sent": 1, "message.delivered": 1});
    let (of_scout, of_desk) = (json!({"message.received": 3}), json!({"message.sent": 1, "message.delivered": 1}));
    let table = [
        ("/v0/metrics/events".to_owned(), &whole),
        (format!("/v0/metrics/events?inbox_id={scout}"), &of_scout),
        (format!("/v0/inboxes/{scout}/metrics/events"), &of_scout),
        ("/v0/inboxes/desk@inboxd.localhost/metrics/events".to_owned(), &of_desk),
        (format!("/v0/metrics/events?pod_id={pod}"), &of_desk),
        (format!("/v0/pods/{pod}/metrics/events"), &of_desk),
        (format!("/v0/metrics/events?pod_id={pod}&inbox_id=Desk@inboxd.localhost"), &of_desk),
    ];
    for (target, expected) in table {
        assert_eq!(event_totals(&agent, &target).await, *expected, "{target}");
    }
    let sent = json!({"message.sent": 1});
    for types in
        ["message.sent,domain.verified", "%5B%22message.sent%22%5D", "message.sent&event_types=message.bounced"]
    {
        assert_eq!(event_totals(&agent, &format!("/v0/metrics/events?event_types={types}")).await, sent, "{types}");
    }
    agent.get(&format!("/v0/metrics/events?pod_id={pod}&inbox_id={scout}")).await.require_error(404, "not_found");
    agent.get("/v0/metrics/events?pod_id=nothing").await.require_error(404, "not_found");
    agent.get("/v0/metrics/events?inbox_id=nobody@inboxd.localhost").await.require_error(404, "not_found");

    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "inbox"})).await;
    assert_eq!(totals(&key.get("/v0/metrics/events").await.ok()), of_scout);
    key.get(&format!("/v0/pods/{pod}/metrics/events")).await.require_error(403, "inbox_out_of_scope");
    let key = agent.create_key(&format!("/v0/pods/{pod}/api-keys"), json!({"name": "pod"})).await;
    assert_eq!(totals(&key.get("/v0/metrics/events").await.ok()), of_desk);
    key.get(&format!("/v0/metrics/events?inbox_id={scout}")).await.require_error(403, "pod_out_of_scope");
    let permissions = json!({"name": "reader", "permissions": {"event_read": true}});
    let key = agent.create_key("/v0/api-keys", permissions).await;
    key.get("/v0/metrics/events").await.require_error(403, "missing_permission");
}

/// Received mails of a day in the past, one in each minute from 12:00 to 12:04 except 12:02.
async fn server_with_minutes() -> (inboxd_testkit::TestServer, Persona) {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["1", "2", "3", "4"]).await;
    let text = "UPDATE events e
        SET created_at = '2026-01-02 12:00Z'::timestamptz + n.minutes * interval '1 minute' + interval '7 s'
        FROM messages m, (VALUES ('1', 0), ('2', 1), ('3', 3), ('4', 4)) AS n(subject, minutes)
        WHERE m.message_id = e.message_id AND m.subject = n.subject";
    server.database().execute(text).await;
    (server, agent)
}

/// Returns a text such as `12:00 1` for each bucket.
fn lines(answer: &Value) -> Vec<String> {
    let line = |bucket: &Value| format!("{} {}", &bucket["timestamp"].as_str().unwrap()[11..16], bucket["count"]);
    answer["message.received"].as_array().unwrap().iter().map(line).collect()
}

#[tokio::test]
async fn buckets_are_per_minute_and_empty_ones_are_omitted() {
    let (_server, agent) = server_with_minutes().await;
    let window = "/v0/metrics/events?start=2026-01-02T12:00:00Z&end=2026-01-02T13:00:00Z";
    let by_minute = ["12:00 1", "12:01 1", "12:03 1", "12:04 1"];
    let backwards = ["12:04 1", "12:03 1", "12:01 1", "12:00 1"];
    let table: [(&str, &[&str]); 7] = [
        ("period=60", &by_minute),
        ("period=60&descending=true", &backwards),
        ("period=60&limit=2", &by_minute[..2]),
        ("period=60&limit=3&descending=true", &backwards[..3]),
        ("period=120", &["12:00 2", "12:02 1", "12:04 1"]),
        ("period=3600", &["12:00 4"]),
        ("", &["12:00 4"]),
    ];
    for (query, expected) in table {
        let answer = agent.get(&format!("{window}&{query}")).await.ok();
        assert_eq!(lines(&answer), expected, "{query}");
        assert_eq!(answer.as_object().unwrap().len(), 1);
    }
    let within = "/v0/metrics/events?period=60&start=2026-01-02T12:00:07Z&end=2026-01-02T12:03:07Z";
    assert_eq!(
        lines(&agent.get(within).await.ok()),
        by_minute[..2],
        "from the start, inclusive, to the end, exclusive"
    );
    let offset = "2026-01-02T14:04:00+02:00";
    let within = format!("/v0/metrics/events?start={}&end=2026-01-02T13:00:00Z", encoded(offset));
    assert_eq!(lines(&agent.get(&within).await.ok()), ["12:00 1"]);
}

#[tokio::test]
async fn default_window_is_the_last_24_hours() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["new", "old"]).await;
    let text = "UPDATE events e SET created_at = now() - interval '25 hours' FROM messages m
        WHERE m.message_id = e.message_id AND m.subject = 'old'";
    server.database().execute(text).await;
    assert_eq!(event_totals(&agent, "/v0/metrics/events").await, json!({"message.received": 1}));
    let now = "/v0/metrics/events?period=86400&start=";
    let newest = agent.get("/v0/events").await.ok()["events"][0]["created_at"].as_str().unwrap().to_owned();
    let newest = OffsetDateTime::parse(&newest, &Rfc3339).unwrap();
    let at = |days: i64| (newest - Duration::days(days)).format(&Rfc3339).unwrap();
    assert_eq!(event_totals(&agent, &format!("{now}{}", at(2))).await, json!({"message.received": 2}));
    assert_eq!(event_totals(&agent, &format!("{now}{}", at(90))).await, json!({"message.received": 2}));
    agent.get(&format!("{now}{}", at(91))).await.require_error(400, "query_range_too_wide");
}

#[tokio::test]
async fn period_below_60_seconds_is_refused() {
    let (_server, agent) = server_and_agent().await;
    for path in ["/v0/metrics/events", "/v0/metrics/usage"] {
        for period in ["0", "1", "59", "61", "90", "-60", "x", "99999999999999999999"] {
            let answer = agent.get(&format!("{path}?period={period}")).await;
            assert_eq!(answer.bad_fields(), ["period"], "{period}");
        }
        agent.get(&format!("{path}?period=60")).await.ok();
    }
}

#[tokio::test]
async fn too_wide_ranges_and_unknown_types_are_refused() {
    let (_server, agent) = server_and_agent().await;
    for path in ["/v0/metrics/events", "/v0/metrics/usage"] {
        let days = format!("{path}?start=2026-01-01T00:00:00Z&end=2026-04-02T00:00:00Z");
        let envelope = agent.get(&days).await.require_error(400, "query_range_too_wide");
        assert_eq!(envelope["name"], "BadRequestError");
        let buckets = format!("{path}?start=2026-01-01T00:00:00Z&end=2026-01-07T22:41:00Z&period=60");
        agent.get(&buckets).await.require_error(400, "query_range_too_wide");
        let turned = format!("{path}?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z&limit=0&descending=x");
        assert_eq!(agent.get(&turned).await.bad_fields(), ["descending", "limit"]);
        assert_eq!(
            agent.get(&format!("{path}?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z")).await.bad_fields(),
            ["start"]
        );
    }
    for kind in ["message.eaten", "label.added"] {
        agent.get(&format!("/v0/metrics/events?event_types={kind}")).await.require_error(400, "unknown_event_type");
    }
    assert_eq!(agent.get("/v0/metrics/usage?usage_types=bytes").await.bad_fields(), ["usage_types"]);
}
