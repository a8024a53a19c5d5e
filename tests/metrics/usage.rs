//! `GET /v0/metrics/usage`: present usage and samples.

use serde_json::{Value, json};

use crate::support::{receive_all, server_and_agent};

/// Returns the newest value of each measure.
fn newest(answer: &Value) -> Value {
    let last = |points: &Value| points.as_array().unwrap().last().unwrap()["value"].clone();
    answer.as_object().unwrap().iter().map(|(kind, points)| (kind.clone(), last(points))).collect()
}

#[tokio::test]
async fn usage_shows_current_values_by_organization_pod_and_inbox() {
    let (server, agent) = server_and_agent().await;
    let pod = agent.post("/v0/pods", json!({})).await.ok()["pod_id"].as_str().unwrap().to_owned();
    agent.post(&format!("/v0/pods/{pod}/inboxes"), json!({"username": "desk"})).await.ok();
    receive_all(&server, &agent, &["1", "2"]).await;
    let bytes = agent.get("/v0/organizations").await.ok()["storage_bytes"].clone();
    assert!(bytes.as_u64() > Some(0));
    let whole = json!({
        "storage_bytes": bytes, "message_count": 2, "thread_count": 2, "inbox_count": 2, "pod_count": 2, "domain_count": 0,
    });
    let scout = json!({"storage_bytes": bytes, "message_count": 2, "thread_count": 2});
    let desk = json!({"storage_bytes": 0, "message_count": 0, "thread_count": 0});
    let of_pod =
        json!({"storage_bytes": 0, "message_count": 0, "thread_count": 0, "inbox_count": 1, "domain_count": 0});
    let table = [
        ("/v0/metrics/usage".to_owned(), &whole),
        (agent.inbox("/metrics/usage"), &scout),
        (format!("/v0/metrics/usage?inbox_id={}", agent.inbox_id), &scout),
        ("/v0/inboxes/desk@inboxd.localhost/metrics/usage".to_owned(), &desk),
        (format!("/v0/pods/{pod}/metrics/usage"), &of_pod),
        (format!("/v0/metrics/usage?pod_id={pod}"), &of_pod),
    ];
    for (target, expected) in table {
        assert_eq!(newest(&agent.get(&target).await.ok()), *expected, "{target}");
    }
    let some = newest(&agent.get("/v0/metrics/usage?usage_types=pod_count,message_count").await.ok());
    assert_eq!(some, json!({"message_count": 2, "pod_count": 2}));
    let past = "/v0/metrics/usage?usage_types=pod_count&start=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00Z";
    assert_eq!(agent.get(past).await.ok(), json!({"pod_count": []}), "no sample of that time");
    let key = agent.create_key("/v0/api-keys", json!({"name": "x", "permissions": {"message_read": true}})).await;
    key.get("/v0/metrics/usage").await.require_error(403, "missing_permission");
}

#[tokio::test]
async fn usage_history_comes_from_worker_samples() {
    let (mut server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["1"]).await;
    // A worker samples at its start and then hourly. A sample that has just started may precede the change.
    server.terminate().await;
    server.database().execute("DELETE FROM usage_samples").await;
    server.restart().await;
    let agent = agent.at(&server);
    inboxd_testkit::eventually("a sample is stored", async || {
        let sampled = "DO $$ BEGIN ASSERT EXISTS (SELECT FROM usage_samples WHERE message_count = 1); END $$";
        server.database().try_execute(sampled).await.ok()
    })
    .await;
    let text = "UPDATE usage_samples SET hour = hour - interval '2 hours', taken_at = taken_at - interval '2 hours'";
    server.database().execute(text).await;
    receive_all(&server, &agent, &["2"]).await;
    let target = "/v0/metrics/usage?usage_types=message_count&period=1800";
    for target in [target.to_owned(), target.replace("/v0", &agent.inbox(""))] {
        let answer = agent.get(&target).await.ok();
        let values: Vec<&Value> =
            answer["message_count"].as_array().unwrap().iter().map(|point| &point["value"]).collect();
        assert_eq!(values.last(), Some(&&json!(2)), "{answer:#}");
        assert!(values.len() >= 4 && values[..values.len() - 1].iter().all(|value| **value == 1), "{answer:#}");
    }
    let newest = agent.get(&format!("{target}&descending=true&limit=1")).await.ok();
    assert_eq!(newest["message_count"][0]["value"], 2);
    assert_eq!(newest["message_count"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn usage_types_are_accepted_in_every_query_form() {
    let (_server, agent) = server_and_agent().await;
    let expected = json!({"inbox_count": 1, "pod_count": 1});
    for types in [
        "usage_types=pod_count,inbox_count",
        "usage_types=pod_count&usage_types=inbox_count",
        "usage_types=%5B%22pod_count%22%2C%22inbox_count%22%5D",
    ] {
        assert_eq!(newest(&agent.get(&format!("/v0/metrics/usage?{types}")).await.ok()), expected, "{types}");
    }
}
