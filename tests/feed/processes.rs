//! Several processes on one database.

use inboxd_testkit::{Persona, ServerOptions, TestServer, eventually};
use serde_json::{Value, json};

use super::late_commits::append_like;
use super::{deliver_mail, event_id, event_subject, newest_event_id, page_events, path_after};
use crate::support::options;

const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Options of a process that logs received signals.
fn process_options() -> ServerOptions {
    options().set("INBOXD_SECRET_KEY", SECRET).set("RUST_LOG", "info,inboxd=debug")
}

/// Starts another process on the same database.
async fn start_beside(server: &TestServer, roles: &str) -> TestServer {
    process_options().set("INBOXD_ROLES", roles).set("INBOXD_DATABASE_URL", server.database().url()).start().await
}

/// Counts the received signals about the feed.
fn signal_count(server: &TestServer, agent: &Persona) -> usize {
    let organization = agent.organization_id.trim_start_matches("org_");
    let is_meant = |entry: &&Value| {
        let entry = entry.to_string();
        let plain = entry.replace('-', "");
        entry.contains("signal received") && plain.contains("Feed") && plain.contains(organization)
    };
    server.log().entries().iter().filter(is_meant).count()
}

#[tokio::test]
async fn reader_receives_events_of_other_process() {
    let a = process_options().start().await;
    let (b, c) = (start_beside(&a, "smtp").await, start_beside(&a, "http").await);
    let agent = a.verified("owner@example.org", "scout").await;
    let elsewhere = agent.at(&c);
    let (mut here, _) = agent.open_subscribed_socket(json!({})).await;
    let (mut there, _) = elsewhere.open_subscribed_socket(json!({})).await;
    let before = signal_count(&a, &agent);
    for number in 0..10 {
        let about = format!("number {number}");
        deliver_mail(&b, &agent.inbox_id, &about).await;
        let event = here.next_event().await;
        assert_eq!(event_subject(&event), about);
        assert_eq!(there.next_event().await, event, "the same in both processes");
    }
    // The signals were sent and received. A process that polls first may skip its own signal.
    eventually("the signals were received", async || (signal_count(&a, &agent) >= before + 8).then_some(())).await;
    // A cursor is valid in every process.
    let cursor = newest_event_id(&agent).await;
    elsewhere.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    assert_eq!(event_subject(&here.next_event().await), "message.sent");
    let page = agent.get(&path_after(&cursor)).await.ok();
    assert_eq!(event_subject(&page_events(&page)[0]), "message.sent");
}

#[tokio::test]
async fn key_revoked_in_one_process_is_closed_in_other() {
    let a = process_options().start().await;
    let b = start_beside(&a, "http,smtp").await;
    let agent = a.verified("owner@example.org", "scout").await;
    for _ in 0..5 {
        let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
        let (mut socket, _) =
            b.http().with_key(made["api_key"].as_str().unwrap()).open_subscribed_socket(json!({})).await;
        agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.require_no_content();
        deliver_mail(&b, &agent.inbox_id, "too late").await;
        let (code, said) = socket.read_until_close().await;
        assert_eq!((code, said.len(), &said[0]["code"]), (1008, 1, &json!("unknown_api_key")), "{said:#?}");
    }
}

#[tokio::test]
async fn events_of_killed_process_are_sequenced_by_other_worker() {
    let a = process_options().set("INBOXD_ROLES", "http,smtp").start().await;
    let mut worker = start_beside(&a, "worker").await;
    let agent = a.sign_up("owner@example.org", "scout").await;
    deliver_mail(&a, &agent.inbox_id, "first").await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({})).await;
    let first = newest_event_id(&agent).await;
    worker.kill().await;
    // Committed by a process that died, while no worker runs.
    let left = append_like(&mut a.database().session().await, &first, '0').await;
    worker.restart().await;
    assert_eq!(event_id(&socket.next_event().await), left);
}

#[tokio::test]
async fn lost_signal_connection_is_restored_without_missed_events() {
    let a = process_options().start().await;
    let b = start_beside(&a, "smtp").await;
    let agent = a.verified("owner@example.org", "scout").await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({})).await;
    let mut session = a.database().session().await;
    let listening = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()";
    let backends = format!("SELECT pid::text AS text {listening}");
    let before = session.texts(&backends).await;
    assert!(!before.is_empty());
    session.execute(&format!("SELECT pg_terminate_backend(pid) {listening}")).await;
    deliver_mail(&b, &agent.inbox_id, "while nobody listens").await;
    assert_eq!(event_subject(&socket.next_event().await), "while nobody listens");
    a.log()
        .entry("a log entry about the lost connection", |entry| entry.to_string().contains("signal connection lost"))
        .await;
    eventually("the process listens again", async || {
        let now = session.texts(&backends).await;
        (now.len() == before.len() && now.iter().all(|pid| !before.contains(pid))).then_some(())
    })
    .await;
    let heard_before = signal_count(&a, &agent);
    for _ in 0..3 {
        deliver_mail(&b, &agent.inbox_id, "heard").await;
        assert_eq!(event_subject(&socket.next_event().await), "heard");
    }
    eventually("the signal was received", async || (signal_count(&a, &agent) > heard_before).then_some(())).await;
}
