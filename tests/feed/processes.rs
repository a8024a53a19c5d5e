//! Several processes on one database are one service.

use inboxd_testkit::{Persona, Server, ServerOptions, eventually};
use serde_json::{Value, json};

use super::late::append_like;
use super::{behind, events, id, mail, newest, subject};
use crate::support::options;

const SECRET: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// A process that says in its log what it hears from others.
fn process() -> ServerOptions {
    options().set("INBOXD_SECRET_KEY", SECRET).set("RUST_LOG", "info,inboxd=debug")
}

/// Another process on the same database.
async fn beside(server: &Server, roles: &str) -> Server {
    process().set("INBOXD_ROLES", roles).set("INBOXD_DATABASE_URL", server.database().url()).start().await
}

/// How often a process has heard from another that a feed has grown.
fn heard(server: &Server, agent: &Persona) -> usize {
    let organization = agent.organization_id.trim_start_matches("org_");
    let is_meant = |entry: &&Value| {
        let entry = entry.to_string();
        let plain = entry.replace('-', "");
        entry.contains("heard from a process") && plain.contains("Feed") && plain.contains(organization)
    };
    server.log().entries().iter().filter(is_meant).count()
}

#[tokio::test]
async fn a_reader_of_one_process_is_told_of_the_mail_of_another() {
    let a = process().start().await;
    let (b, c) = (beside(&a, "smtp").await, beside(&a, "http").await);
    let agent = a.verified("owner@example.org", "scout").await;
    let elsewhere = agent.at(&c);
    let (mut here, _) = agent.subscribed(json!({})).await;
    let (mut there, _) = elsewhere.subscribed(json!({})).await;
    let before = heard(&a, &agent);
    for number in 0..10 {
        let about = format!("number {number}");
        mail(&b, &agent.inbox_id, &about).await;
        let event = here.event().await;
        assert_eq!(subject(&event), about);
        assert_eq!(there.event().await, event, "the same in both processes");
    }
    // They were said, and heard. Whoever looks by themselves may be faster now and then, and does not tell itself.
    eventually("the mails were heard of", async || (heard(&a, &agent) >= before + 8).then_some(())).await;
    // A cursor of one process is one of the other.
    let cursor = newest(&agent).await;
    elsewhere.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "hello"})).await;
    assert_eq!(subject(&here.event().await), "message.sent");
    let page = agent.get(&behind(&cursor)).await.ok();
    assert_eq!(subject(&events(&page)[0]), "message.sent");
}

#[tokio::test]
async fn a_key_that_is_revoked_in_one_process_is_cut_off_in_the_other() {
    let a = process().start().await;
    let b = beside(&a, "http,smtp").await;
    let agent = a.verified("owner@example.org", "scout").await;
    for _ in 0..5 {
        let made = agent.post("/v0/api-keys", json!({"name": "short"})).await.ok();
        let (mut socket, _) = b.http().with_key(made["api_key"].as_str().unwrap()).subscribed(json!({})).await;
        agent.delete(&format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap())).await.gone();
        mail(&b, &agent.inbox_id, "too late").await;
        let (code, said) = socket.closed().await;
        assert_eq!((code, said.len(), &said[0]["code"]), (1008, 1, &json!("unknown_api_key")), "{said:#?}");
    }
}

#[tokio::test]
async fn what_a_killed_process_left_behind_is_placed_by_the_worker_of_another() {
    let a = process().set("INBOXD_ROLES", "http,smtp").start().await;
    let mut worker = beside(&a, "worker").await;
    let agent = a.sign_up("owner@example.org", "scout").await;
    mail(&a, &agent.inbox_id, "first").await;
    let (mut socket, _) = agent.subscribed(json!({})).await;
    let first = newest(&agent).await;
    worker.kill_9().await;
    // Committed by somebody who is gone, while no worker runs.
    let left = append_like(&mut a.database().session().await, &first, '0').await;
    worker.restart().await;
    assert_eq!(id(&socket.event().await), left);
}

#[tokio::test]
async fn a_lost_connection_for_signals_is_made_again_and_nothing_is_missed() {
    let a = process().start().await;
    let b = beside(&a, "smtp").await;
    let agent = a.verified("owner@example.org", "scout").await;
    let (mut socket, _) = agent.subscribed(json!({})).await;
    let mut session = a.database().session().await;
    let listening = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()";
    let backends = format!("SELECT pid::text AS text {listening}");
    let before = session.texts(&backends).await;
    assert!(!before.is_empty());
    session.execute(&format!("SELECT pg_terminate_backend(pid) {listening}")).await;
    mail(&b, &agent.inbox_id, "while nobody listens").await;
    assert_eq!(subject(&socket.event().await), "while nobody listens");
    a.log().entry("it says so", |entry| entry.to_string().contains("signal connection lost")).await;
    eventually("it listens again", async || {
        let now = session.texts(&backends).await;
        (now.len() == before.len() && now.iter().all(|pid| !before.contains(pid))).then_some(())
    })
    .await;
    let heard_before = heard(&a, &agent);
    for _ in 0..3 {
        mail(&b, &agent.inbox_id, "heard").await;
        assert_eq!(subject(&socket.event().await), "heard");
    }
    eventually("it was heard", async || (heard(&a, &agent) > heard_before).then_some(())).await;
}
