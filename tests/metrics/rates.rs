//! `GET …/metrics/rates`.

use inboxd_testkit::eventually;
use serde_json::{Value, json};

use crate::support::server_and_agent;

/// Returns the newest point of a rate.
fn newest(answer: &Value, rate_type: &str) -> (Value, Value) {
    let point = &answer[rate_type][0];
    (point["rate"].clone(), point["sent"].clone())
}

#[tokio::test]
async fn rates_count_recipients_by_organization_pod_and_inbox() {
    let (server, agent) = server_and_agent().await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let body = json!({"to": ["one@outside.example", "two@outside.example", agent.inbox_id], "text": "hello"});
    agent.post(&agent.inbox("/messages/send"), body).await.ok();
    eventually("all is delivered", async || {
        let counts = agent.get("/v0/metrics/events?event_types=message.delivered").await.ok();
        let delivered = counts["message.delivered"].as_array().into_iter().flatten();
        (delivered.map(|bucket| bucket["count"].as_u64().unwrap()).sum::<u64>() >= 2).then_some(())
    })
    .await;
    // Two of the events become those of other outcomes, and all lie within a whole window.
    let changes = "WITH sent AS (SELECT * FROM events WHERE event_type = 'message.sent')
        INSERT INTO events (organization_id, event_id, created_at, event_type, pod_id, inbox_id, thread_id, message_id, body)
        SELECT organization_id, gen_random_uuid(), created_at, outcome.event_type, pod_id, inbox_id, thread_id, message_id,
            outcome.body::jsonb
        FROM sent CROSS JOIN (VALUES
            ('message.bounced', '{\"body\": \"bounce\", \"kind\": \"Permanent\", \"sub_type\": \"General\", \"recipients\": [{\"address\": \"one@outside.example\", \"status\": \"5.1.1\"}]}'),
            ('message.complained', '{\"body\": \"complaint\", \"kind\": \"abuse\", \"sub_type\": \"\", \"recipients\": [\"two@outside.example\"]}')
        ) AS outcome (event_type, body);
        UPDATE events SET created_at = created_at - interval '11 minutes';";
    server.database().execute(changes).await;
    for path in [
        "/v0/metrics/rates".to_owned(),
        format!("/v0/metrics/rates?pod_id={pod}"),
        format!("/v0/pods/{pod}/metrics/rates"),
        agent.inbox("/metrics/rates"),
    ] {
        let sign = if path.contains('?') { '&' } else { '?' };
        let rates = agent.get(&format!("{path}{sign}period=600&window=3600&descending=true")).await.ok();
        assert_eq!(newest(&rates, "bounce"), (json!(1.0 / 3.0), json!(3)), "{path}: {rates:#}");
        assert_eq!(newest(&rates, "complaint").0, json!(1.0 / 3.0), "{path}");
        assert_eq!(newest(&rates, "delivery").0, json!(1.0), "{path}");
    }
    let one = agent.get("/v0/metrics/rates?rate_types=bounce&limit=2").await.ok();
    assert_eq!((one.as_object().unwrap().len(), one["bounce"].as_array().unwrap().len()), (1, 2));
    assert_eq!(one["bounce"][0], json!({"timestamp": one["bounce"][0]["timestamp"], "rate": null, "sent": 0}));
}

#[tokio::test]
async fn bad_rates_and_windows_are_refused() {
    let (_server, agent) = server_and_agent().await;
    for (query, field) in [
        ("rate_types=opens", "rate_types"),
        ("window=59", "window"),
        ("window=5400", "window"),
        ("period=90", "period"),
    ] {
        assert_eq!(agent.get(&format!("/v0/metrics/rates?{query}")).await.bad_fields(), [field], "{query}");
    }
    let wide = "/v0/metrics/rates?period=60&window=60000";
    agent.get(wide).await.require_error(400, "query_range_too_wide");
}
