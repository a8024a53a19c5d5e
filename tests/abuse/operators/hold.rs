//! Held queue of a restored backup: `inboxd serve --hold` and its release.

use std::time::Duration;

use inboxd_testkit::{Persona, RelayServer, TestServer, eventually};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{admin, refused_command};
use crate::support::{in_seconds, options, second_process};

/// A stopped server with a queued message and a scheduled draft, as in a backup.
async fn stopped_server(relay: &RelayServer) -> (TestServer, Persona) {
    let mut server = options().relay(relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    relay.reply_once("bob@outside.example", "451 4.3.0 later");
    agent.send(json!({"to": "bob@outside.example", "subject": "before", "text": "x"})).await;
    server.log().entry("the first attempt", |entry| entry["deferred"] == 1).await;
    let draft = json!({"to": "bob@outside.example", "subject": "planned", "text": "x", "send_at": in_seconds(60)});
    agent.post(&agent.inbox("/drafts"), draft).await.ok();
    assert!(server.terminate().await.success());
    server
        .database()
        .execute("UPDATE outgoing SET due_at = now(); UPDATE drafts SET send_at = now(), due_at = now()")
        .await;
    (server, agent)
}

fn was_relayed(relay: &RelayServer, subject: &str) -> bool {
    relay.mails().iter().any(|mail| mail.headers("Subject").iter().any(|other| other == subject))
}

async fn rejected_events(agent: &Persona) -> Vec<Value> {
    agent.get("/v0/events?event_types=message.rejected").await.ok()["events"].as_array().unwrap().clone()
}

#[tokio::test]
async fn held_queue_sends_nothing_from_any_process_until_dropped() {
    let relay = RelayServer::start().await;
    let (mut server, agent) = stopped_server(&relay).await;
    let mut held = second_process(&server).relay(&relay).hold().start().await;
    held.log().entry("the log says so", |entry| entry["message"].as_str().unwrap().contains("queue held")).await;
    let at = agent.at(&held);
    at.send(json!({"to": "bob@outside.example", "subject": "since", "text": "x"})).await;
    sleep(Duration::from_millis(1500)).await;
    held.kill().await;
    server.restart().await;
    assert_eq!(server.http().get("/ready").await.status, 200);
    let agent = agent.at(&server);
    agent.send(json!({"to": "bob@outside.example", "subject": "restarted", "text": "x"})).await;
    // Codes are still sent, so that people can sign in.
    let before = relay.mails().len();
    server.http().post("/v0/agent/sign-in", json!({"email": "owner@example.org"})).await;
    eventually("the code is delivered", async || (relay.mails().len() > before).then_some(())).await;
    sleep(Duration::from_millis(1500)).await;
    for subject in ["before", "planned", "since", "restarted"] {
        assert!(!was_relayed(&relay, subject), "{subject}");
    }
    let doctor = server.command(&["doctor"]).await;
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("is held since"), "{doctor:?}");
    assert!(refused_command(&server, &["queue", "drop"]).await.contains("--yes"));
    let said = admin(&server, &["queue", "drop", "--yes"]).await;
    assert!(said.contains("dropped 1 mails, 1 scheduled drafts"), "{said}");
    relay.mail_about("since").await;
    relay.mail_about("restarted").await;
    let events = rejected_events(&agent).await;
    assert_eq!(events.len(), 2, "{events:?}");
    let message = agent.message_about("before").await;
    assert!(events.iter().any(|event| event.to_string().contains(message["message_id"].as_str().unwrap())));
    let drafts = agent.get(&agent.inbox("/drafts")).await.ok();
    assert_eq!(drafts["drafts"][0]["send_status"], "failed");
    assert!(!was_relayed(&relay, "before") && !was_relayed(&relay, "planned"));
    assert!(refused_command(&server, &["queue", "release"]).await.contains("not held"));
}

#[tokio::test]
async fn released_queue_sends_all_waiting_messages() {
    let relay = RelayServer::start().await;
    let (server, agent) = stopped_server(&relay).await;
    let held = second_process(&server).relay(&relay).hold().start().await;
    agent.at(&held).send(json!({"to": "bob@outside.example", "subject": "since", "text": "x"})).await;
    sleep(Duration::from_millis(1200)).await;
    assert!(["before", "planned", "since"].iter().all(|subject| !was_relayed(&relay, subject)));
    admin(&held, &["queue", "release"]).await;
    for subject in ["before", "planned", "since"] {
        relay.mail_about(subject).await;
    }
    assert_eq!(rejected_events(&agent.at(&held)).await.len(), 0);
}
