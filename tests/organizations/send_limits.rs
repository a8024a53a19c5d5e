//! 403 `organization_unverified`, 429 `daily_limit_reached` and `monthly_limit_reached`.

use inboxd_testkit::ApiResponse;
use serde_json::json;

use crate::support::{count, run_concurrently, server, server_and_agent};

fn retry_after(answer: &ApiResponse) -> u64 {
    answer.header("Retry-After").unwrap().parse().unwrap()
}

#[tokio::test]
async fn unverified_organization_sends_to_owner_only() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let send = agent.inbox("/messages/send");
    for to in [json!(["bob@outside.example"]), json!(["owner@example.org", "bob@outside.example"])] {
        let answer = agent.post(&send, json!({"to": to, "subject": "hello", "text": "hello"})).await;
        let envelope = answer.require_error(403, "organization_unverified");
        assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
    }
    agent.send(json!({"to": "Owner@Example.org", "subject": "hello", "text": "hello"})).await;
    agent.verify().await;
    agent.send(json!({"to": "bob@outside.example", "subject": "hello", "text": "hello"})).await;
}

#[tokio::test]
async fn unverified_organization_sends_ten_messages_a_day() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for number in 0..10 {
        agent.send(json!({"to": "owner@example.org", "subject": format!("{number}"), "text": "hello"})).await;
    }
    // A refusal for another reason uses no quota and names its own reason.
    let stranger = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&agent.inbox("/messages/send"), stranger).await.require_error(403, "organization_unverified");
    let body = json!({"to": "owner@example.org", "subject": "11", "text": "hello"});
    let answer = agent.post(&agent.inbox("/messages/send"), body.clone()).await;
    let envelope = answer.require_error(429, "daily_limit_reached");
    assert_eq!(envelope["name"], "RateLimitError");
    assert!((1..=86_400).contains(&retry_after(&answer)), "{}", retry_after(&answer));
    // Refused messages are not stored.
    assert_eq!(agent.messages().await.len(), 10);
    // The verification of the owner applies the free plan immediately.
    agent.verify().await;
    agent.send(body).await;
}

#[tokio::test]
async fn concurrent_sends_stop_at_daily_limit() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let answers = run_concurrently((0..100).map(|number| {
        let agent = agent.clone();
        async move {
            let body = json!({"to": "owner@example.org", "subject": format!("{number}"), "text": "hello"});
            agent.post(&agent.inbox("/messages/send"), body).await
        }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (10, 90));
    for answer in answers.iter().filter(|answer| answer.status == 429) {
        answer.require_error(429, "daily_limit_reached");
    }
    assert_eq!(agent.messages().await.len(), 10);
}

#[tokio::test]
async fn monthly_cap_is_separate() {
    let (server, agent) = server_and_agent().await;
    agent.send(json!({"to": "bob@outside.example", "text": "the first"})).await;
    server.database().execute("UPDATE send_counts SET count = 1000").await;
    let body = json!({"to": "bob@outside.example", "text": "one too many"});
    let answer = agent.post(&agent.inbox("/messages/send"), body).await;
    answer.require_error(429, "monthly_limit_reached");
    assert!((1..=31 * 86_400).contains(&retry_after(&answer)), "{}", retry_after(&answer));
}

#[tokio::test]
async fn message_counts_once_for_many_recipients() {
    let (server, agent) = server_and_agent().await;
    let to: Vec<String> = (0..50).map(|number| format!("r{number}@outside.example")).collect();
    agent.send(json!({"to": to, "text": "to all of you"})).await;
    server.database().execute("UPDATE send_counts SET count = count + 98").await;
    agent.send(json!({"to": "bob@outside.example", "text": "the hundredth"})).await;
    let body = json!({"to": "bob@outside.example", "text": "one too many"});
    agent.post(&agent.inbox("/messages/send"), body).await.require_error(429, "daily_limit_reached");
}
