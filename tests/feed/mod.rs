//! The feed: every event once and in one order, for whoever follows it.

mod cursor;
mod cut_off;
mod expired;
mod frames;
mod labels;
mod late;
mod processes;
mod race;
mod reach;
mod resume;
mod scope;
mod slow;
mod socket;
mod sse;
mod stop;
mod wait;
mod wait_for_message;

use std::time::Duration;

use inboxd_testkit::{Answer, Http, Mail, PATIENCE, Persona, Server};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::{receive_all, server_and_agent};

/// A running server, and an agent with the id of its first event.
async fn started() -> (Server, Persona, String) {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["first"]).await;
    let first = newest(&agent).await;
    (server, agent, first)
}

/// Delivers a mail from outside to an inbox.
async fn mail(server: &Server, inbox_id: &str, subject: &str) {
    let mail = Mail::new("Alice <alice@outside.example>", inbox_id, subject, &format!("About {subject}."));
    server.deliver("alice@outside.example", &[inbox_id], mail.raw()).await.is(250, "2");
}

/// The id of the newest event.
async fn newest(http: &Http) -> String {
    id(&http.get("/v0/events?limit=1").await.ok()["events"][0])
}

/// The path of what is behind an event.
fn behind(event_id: &str) -> String {
    format!("/v0/events?after_event_id={event_id}")
}

/// The events of a page.
fn events(page: &Value) -> Vec<Value> {
    page["events"].as_array().unwrap().clone()
}

fn id(event: &Value) -> String {
    event["event_id"].as_str().unwrap().to_owned()
}

/// What an event is about: the subject of its mail, or what happened where there is none.
fn subject(event: &Value) -> &str {
    event["message"]["subject"].as_str().unwrap_or_else(|| event["event_type"].as_str().unwrap())
}

/// Checks that an event says what happened to which message, and nothing of what stands in it.
fn is_bare(event: &Value) {
    let told: Vec<&str> = event["message"].as_object().unwrap().keys().map(String::as_str).collect();
    let ids = ["inbox_id", "labels", "message_id", "thread_id", "timestamp"];
    assert!(told.iter().all(|field| ids.contains(field)), "{event:#}");
    assert_eq!((&event["message"]["labels"], event.get("thread")), (&json!([]), None), "{event:#}");
}

/// The subjects of the events of a page.
fn subjects(page: &Value) -> Vec<String> {
    events(page).iter().map(|event| subject(event).to_owned()).collect()
}

/// Begins a request that waits, while the test goes on.
fn begin(http: &Http, target: String) -> JoinHandle<Answer> {
    let http = http.clone();
    tokio::spawn(async move { http.get(&target).await })
}

/// What a request that waits for a minute answers long before that is over.
async fn answered(waiting: JoinHandle<Answer>) -> Answer {
    let answered = tokio::time::timeout(PATIENCE / 2, waiting).await;
    assert!(answered.is_ok(), "it waits although there is something");
    answered.unwrap().unwrap()
}

/// Long enough for a request to be waiting, nearly always. The tests hold even where it is not yet.
async fn until_it_waits() {
    tokio::time::sleep(Duration::from_millis(300)).await;
}

/// An id of an event that was made so long ago and stands nowhere: a UUID of version 7 (RFC 9562, section 5.7).
fn made_before(ago: Duration) -> String {
    let at = format!("-{} seconds", ago.as_secs());
    let output = std::process::Command::new("date").args(["-d", &at, "+%s%3N"]).output();
    let made: u64 = String::from_utf8(output.unwrap().stdout).unwrap().trim().parse().unwrap();
    format!("evt_{made:012x}70008000000000000000")
}
