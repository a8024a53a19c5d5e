//! Feed tests: every event once and in one order for every reader.

mod cursor;
mod expired;
mod frames;
mod labels;
mod late_commits;
mod processes;
mod race;
mod resume;
mod revocation;
mod scope;
mod slow;
mod socket;
mod sse;
mod stop;
mod trust;
mod visibility;
mod wait;
mod wait_for_message;

use std::time::Duration;

use inboxd_testkit::{ApiResponse, HttpClient, MailBuilder, Persona, TestServer, WAIT_TIMEOUT};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{receive_all, server_and_agent};

/// A running server, and an agent with the id of its first event.
async fn start_feed() -> (TestServer, Persona, String) {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["first"]).await;
    let first = newest_event_id(&agent).await;
    (server, agent, first)
}

/// Delivers a mail from outside to an inbox.
async fn deliver_mail(server: &TestServer, inbox_id: &str, subject: &str) {
    let mail = MailBuilder::new("Alice <alice@outside.example>", inbox_id, subject, &format!("About {subject}."));
    server.deliver("alice@outside.example", &[inbox_id], mail.raw()).await.require_code(250, "2");
}

/// Returns the id of the newest event.
async fn newest_event_id(http: &HttpClient) -> String {
    event_id(&http.get("/v0/events?limit=1").await.ok()["events"][0])
}

/// Returns the path of the events after an event.
fn path_after(event_id: &str) -> String {
    format!("/v0/events?after_event_id={event_id}")
}

/// Returns the events of a page.
fn page_events(page: &Value) -> Vec<Value> {
    page["events"].as_array().unwrap().clone()
}

fn event_id(event: &Value) -> String {
    event["event_id"].as_str().unwrap().to_owned()
}

/// Returns the subject of the mail of an event, or the event type without one.
fn event_subject(event: &Value) -> &str {
    event["message"]["subject"].as_str().unwrap_or_else(|| event["event_type"].as_str().unwrap())
}

/// Requires that an event names type and message without content.
fn require_no_content(event: &Value) {
    let told: Vec<&str> = event["message"].as_object().unwrap().keys().map(String::as_str).collect();
    let ids = ["inbox_id", "labels", "message_id", "thread_id", "timestamp"];
    assert!(told.iter().all(|field| ids.contains(field)), "{event:#}");
    assert_eq!((&event["message"]["labels"], event.get("thread")), (&json!([]), None), "{event:#}");
}

/// Returns the subjects of the events of a page.
fn page_subjects(page: &Value) -> Vec<String> {
    page_events(page).iter().map(|event| event_subject(event).to_owned()).collect()
}

/// Starts a waiting request in the background.
fn start_wait(http: &HttpClient, target: String) -> JoinHandle<ApiResponse> {
    let http = http.clone();
    tokio::spawn(async move { http.get(&target).await })
}

/// Returns the response of a request with a wait of a minute, which must arrive much earlier.
async fn wait_response(waiting: JoinHandle<ApiResponse>) -> ApiResponse {
    let answered = tokio::time::timeout(WAIT_TIMEOUT / 2, waiting).await;
    assert!(answered.is_ok(), "the request waits despite an event");
    answered.unwrap().unwrap()
}

/// A delay after which a request nearly always waits. The tests hold without that as well.
async fn wait_until_waiting() {
    tokio::time::sleep(Duration::from_millis(300)).await;
}

/// Creates an event id of that age that no event has: a UUID of version 7 (RFC 9562, section 5.7).
fn event_id_before(ago: Duration) -> String {
    let at = format!("-{} seconds", ago.as_secs());
    let output = std::process::Command::new("date").args(["-d", &at, "+%s%3N"]).output();
    let made: u64 = String::from_utf8(output.unwrap().stdout).unwrap().trim().parse().unwrap();
    format!("evt_{made:012x}70008000000000000000")
}
