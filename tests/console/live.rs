//! `GET /console/events/stream`: the feed of a person, by the cookie of the session.

use inboxd_testkit::{EventStream, HttpRequest, Persona, TestServer};
use serde_json::json;

use super::signed_in;
use crate::browser::Browser;
use crate::people::{invite, member_path};
use crate::support::{receive_all, server_and_agent};

const STREAM: &str = "/console/events/stream";

async fn open(server: &TestServer, browser: &Browser, target: &str) -> EventStream {
    let cookies: Vec<String> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let request = HttpRequest::new("GET", target).header("Cookie", &cookies.join("; "));
    server.http().open_stream(request).await.unwrap()
}

/// Requires the refusal that ends a stream.
async fn require_end(mut stream: EventStream) {
    let last = stream.next().await.unwrap();
    assert_eq!((last.event.as_str(), &last.json()["code"]), ("error", &json!("unknown_api_key")), "{last:?}");
    assert_eq!(stream.next().await, None);
}

async fn receive(server: &TestServer, agent: &Persona, subject: &str) {
    receive_all(server, agent, &[subject]).await;
}

#[tokio::test]
async fn new_mail_reaches_person_and_resumes_without_gap() {
    let (server, agent) = server_and_agent().await;
    let owner = signed_in(&server, "owner@example.org").await;
    let mut stream = open(&server, &owner, STREAM).await;
    receive(&server, &agent, "1").await;
    let first = stream.next_event().await;
    assert_eq!(first["message"]["subject"], "1");
    drop(stream);
    receive(&server, &agent, "2").await;
    receive(&server, &agent, "3").await;
    let first = first["event_id"].as_str().unwrap();
    let mut resumed = open(&server, &owner, &format!("{STREAM}?last_event_id={first}")).await;
    for subject in ["2", "3"] {
        assert_eq!(resumed.next_event().await["message"]["subject"], subject);
    }
    let other = format!("{STREAM}?event_types=message.sent");
    let mut sends = open(&server, &owner, &other).await;
    receive(&server, &agent, "4").await;
    assert_eq!(resumed.next_event().await["message"]["subject"], "4");
    agent.send(json!({"to": "bob@outside.example", "subject": "5", "text": "x"})).await;
    assert_eq!(sends.next_event().await["event_type"], "message.sent", "the stream has no event of another type");
}

#[tokio::test]
async fn stream_ends_with_session() {
    let (server, agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let other = signed_in(&server, "owner@example.org").await;
    let stream = open(&server, &owner, STREAM).await;
    let mut kept = open(&server, &other, STREAM).await;
    let page = owner.get("/console/settings").await;
    owner.submit(&page, "/console/sign-out", &[]).await.location();
    receive(&server, &agent, "later").await;
    require_end(stream).await;
    assert_eq!(kept.next_event().await["message"]["subject"], "later", "another session of the person goes on");
    let mut other = other;
    let page = other.get("/console/settings").await;
    other.submit(&page, "/console/settings/sign-out-everywhere", &[]).await.location();
    require_end(kept).await;
    assert_eq!(owner.get(STREAM).await.response.status, 303, "without a session there is no stream");
}

#[tokio::test]
async fn session_has_thirty_streams() {
    let (server, _agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let other = signed_in(&server, "owner@example.org").await;
    let mut streams = Vec::new();
    for _ in 0..30 {
        streams.push(open(&server, &owner, STREAM).await);
    }
    assert_eq!(owner.get(STREAM).await.response.status, 429);
    drop(open(&server, &other, STREAM).await);
    streams.clear();
    // The server sees the closed connections a moment later.
    let mut freed = 429;
    for _ in 0..50 {
        let cookies: Vec<String> = owner.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = HttpRequest::new("GET", STREAM).header("Cookie", &cookies.join("; "));
        freed = if server.http().open_stream(request).await.is_ok() { 200 } else { 429 };
        if freed == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(freed, 200);
}

#[tokio::test]
async fn stream_follows_membership() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let maria = signed_in(&server, "maria@example.org").await;
    let mut stream = open(&server, &maria, STREAM).await;
    receive(&server, &agent, "seen").await;
    assert_eq!(stream.next_event().await["message"]["subject"], "seen");
    agent.delete(&member_path(&agent, "maria@example.org").await).await.require_no_content();
    require_end(stream).await;
}
