//! External scanner of received messages, as a real HTTP server.

use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, Reaction, ReceivedRequest, TestServer, WebhookReceiver};
use serde_json::{Value, json};

use crate::support::{mail_to, options, receive};

/// Consecutive failures after which the scanner rests.
const MAX_FAILURES: usize = 5;

/// Returns the reaction with this status line and body.
fn respond(status: &str, body: &str) -> Reaction {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    Reaction::Bytes(format!("{head}{body}").into_bytes())
}

/// Returns a scanner, a server that asks it, and an agent.
async fn server_with_scanner(
    react: impl Fn(&ReceivedRequest) -> Reaction + Send + 'static,
) -> (WebhookReceiver, TestServer, Persona) {
    let scanner = WebhookReceiver::start_with(react).await;
    let options = options().set("INBOXD_SCANNER_URL", scanner.url()).set("INBOXD_SCANNER_TOKEN", "scanner-s3cret");
    let server = options.set("INBOXD_SCANNER_TIMEOUT_MS", "400").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (scanner, server, agent)
}

/// Delivers a mail and returns it.
async fn received(server: &TestServer, agent: &Persona, subject: &str) -> Value {
    receive(server, agent, &mail_to(agent, subject)).await;
    agent.message_about(subject).await
}

fn findings(message: &Value) -> Vec<Value> {
    let reasons = message["trust"]["reasons"].as_array().unwrap().iter();
    reasons.filter(|reason| reason["name"] == "scanner_finding").cloned().collect()
}

#[tokio::test]
async fn findings_of_scanner_become_reasons() {
    let (scanner, server, agent) = server_with_scanner(|request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let found = match () {
            () if body.contains("About attack.") => {
                json!([{"category": "prompt_injection", "score": 97, "field": "text", "start": 0, "end": 5}])
            }
            () if body.contains("About maybe.") => json!([{"category": "phishing", "score": 20}]),
            () => json!([]),
        };
        respond("200 OK", &json!({"findings": found}).to_string())
    })
    .await;
    let attack = received(&server, &agent, "attack").await;
    assert_eq!(attack["trust"]["verdict"], "suspicious");
    let expected = json!([{"name": "scanner_finding", "category": "prompt_injection", "score": 97, "field": "text",
        "start": 0, "end": 5}]);
    assert_eq!(json!(findings(&attack)), expected);
    assert_eq!(attack["labels"], json!(["received", "unread"]), "a finding hides nothing");
    let maybe = received(&server, &agent, "maybe").await;
    assert_eq!((&maybe["trust"]["verdict"], findings(&maybe).len()), (&json!("first_contact"), 1));
    let honest = received(&server, &agent, "honest").await;
    assert_eq!((&honest["trust"]["verdict"], findings(&honest).len()), (&json!("first_contact"), 0));

    let told = scanner.requests().into_iter().find(|told| told.event()["subject"] == "attack").unwrap();
    assert_eq!(told.header("authorization"), "Bearer scanner-s3cret");
    let told = told.event();
    assert!(told["text"].as_str().unwrap().starts_with("About attack."), "{told}");
    assert_eq!(told["from"], json!([{"name": "Alice", "address": "alice@outside.example"}]));
    assert!(!told.to_string().contains(&agent.inbox_id), "{told}");
    assert!(!server.log().lines().iter().any(|line| line.contains("scanner-s3cret")));
}

#[tokio::test]
async fn silent_scanner_delays_mail_by_its_limit_and_then_not_at_all() {
    let (scanner, server, agent) = server_with_scanner(|_| Reaction::Hang).await;
    for number in 0..MAX_FAILURES {
        let start = Instant::now();
        let message = received(&server, &agent, &format!("silence {number}")).await;
        assert_eq!(findings(&message).len(), 0);
        assert!(start.elapsed() >= Duration::from_millis(300), "it waited only {:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(5), "it waited {:?}", start.elapsed());
    }
    scanner.set_reaction(|_| respond("200 OK", r#"{"findings": [{"category": "late"}]}"#));
    for number in 0..3 {
        let message = received(&server, &agent, &format!("rest {number}")).await;
        assert_eq!(findings(&message).len(), 0, "it rests");
    }
    assert_eq!(scanner.requests().len(), MAX_FAILURES, "no message waits during the rest");
    server.log().entry("the operator is told", |entry| entry.to_string().contains("INBOXD_SCANNER_URL")).await;
}

#[tokio::test]
async fn broken_scanner_loses_no_mail() {
    let (scanner, server, agent) = server_with_scanner(|_| respond("500 Broken", "")).await;
    assert_eq!(findings(&received(&server, &agent, "status").await).len(), 0);
    scanner.set_reaction(|_| respond("200 OK", "<html>"));
    assert_eq!(findings(&received(&server, &agent, "garbage").await).len(), 0);
    scanner.set_reaction(|_| respond("200 OK", &format!("{{\"findings\": []}}{}", " ".repeat(200_000))));
    assert_eq!(findings(&received(&server, &agent, "huge").await).len(), 0);
    scanner.set_reaction(|_| Reaction::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{".to_vec()));
    assert_eq!(findings(&received(&server, &agent, "broken off").await).len(), 0);
    scanner.set_reaction(|_| respond("200 OK", r#"{"findings": [{"category": "malware"}]}"#));
    let message = received(&server, &agent, "again").await;
    assert_eq!(findings(&message).len(), 1, "four failures start no rest: {message:#}");
}
