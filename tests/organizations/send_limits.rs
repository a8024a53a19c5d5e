//! 403 `organization_unverified`, 429 `daily_limit_reached` and `monthly_limit_reached`.

use inboxd_testkit::Answer;
use serde_json::json;

use crate::support::{at_once, count, server, server_and_agent};

fn retry_after(answer: &Answer) -> u64 {
    answer.header("Retry-After").unwrap().parse().unwrap()
}

#[tokio::test]
async fn an_unverified_organization_mails_its_owner_only() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let send = agent.inbox("/messages/send");
    for to in [json!(["bob@outside.example"]), json!(["owner@example.org", "bob@outside.example"])] {
        let answer = agent.post(&send, json!({"to": to, "subject": "hello", "text": "hello"})).await;
        let envelope = answer.refused(403, "organization_unverified");
        assert!(envelope["fix"].as_str().unwrap().contains("/v0/agent/verify"), "{envelope:#}");
    }
    agent.send(json!({"to": "Owner@Example.org", "subject": "hello", "text": "hello"})).await;
    agent.verify().await;
    agent.send(json!({"to": "bob@outside.example", "subject": "hello", "text": "hello"})).await;
}

#[tokio::test]
async fn an_unverified_organization_sends_ten_mails_a_day() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    for number in 0..10 {
        agent.send(json!({"to": "owner@example.org", "subject": format!("{number}"), "text": "hello"})).await;
    }
    // A refusal for another reason is free, and comes with its own reason.
    let stranger = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&agent.inbox("/messages/send"), stranger).await.refused(403, "organization_unverified");
    let body = json!({"to": "owner@example.org", "subject": "11", "text": "hello"});
    let answer = agent.post(&agent.inbox("/messages/send"), body.clone()).await;
    let envelope = answer.refused(429, "daily_limit_reached");
    assert_eq!(envelope["name"], "RateLimitError");
    assert!((1..=86_400).contains(&retry_after(&answer)), "{}", retry_after(&answer));
    // Refused mail is not stored.
    assert_eq!(agent.messages().await.len(), 10);
    // Confirming the owner applies the free plan at once.
    agent.verify().await;
    agent.send(body).await;
}

#[tokio::test]
async fn of_a_hundred_sends_at_once_ten_get_through() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let answers = at_once((0..100).map(|number| {
        let agent = agent.clone();
        async move {
            let body = json!({"to": "owner@example.org", "subject": format!("{number}"), "text": "hello"});
            agent.post(&agent.inbox("/messages/send"), body).await
        }
    }))
    .await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (10, 90));
    for answer in answers.iter().filter(|answer| answer.status == 429) {
        answer.refused(429, "daily_limit_reached");
    }
    assert_eq!(agent.messages().await.len(), 10);
}

#[tokio::test]
async fn the_month_has_a_cap_of_its_own() {
    let (server, agent) = server_and_agent().await;
    agent.send(json!({"to": "bob@outside.example", "text": "the first"})).await;
    server.database().execute("UPDATE send_counts SET count = 1000").await;
    let body = json!({"to": "bob@outside.example", "text": "one too many"});
    let answer = agent.post(&agent.inbox("/messages/send"), body).await;
    answer.refused(429, "monthly_limit_reached");
    assert!((1..=31 * 86_400).contains(&retry_after(&answer)), "{}", retry_after(&answer));
}

#[tokio::test]
async fn a_mail_counts_once_however_many_recipients_it_has() {
    let (server, agent) = server_and_agent().await;
    let to: Vec<String> = (0..50).map(|number| format!("r{number}@outside.example")).collect();
    agent.send(json!({"to": to, "text": "to all of you"})).await;
    server.database().execute("UPDATE send_counts SET count = count + 98").await;
    agent.send(json!({"to": "bob@outside.example", "text": "the hundredth"})).await;
    let body = json!({"to": "bob@outside.example", "text": "one too many"});
    agent.post(&agent.inbox("/messages/send"), body).await.refused(429, "daily_limit_reached");
}
