//! Brake on the sending of an organization whose mail bounces or is reported as spam too often.

use inboxd_testkit::{Persona, RelayServer, TestServer, eventually};
use serde_json::{Value, json};

use super::server_with_relay;
use crate::support::{options, second_process, set_plan};

/// Sends messages to addresses that the relay refuses, one each.
async fn send_to_nobody(relay: &RelayServer, agent: &Persona, numbers: std::ops::Range<u32>) {
    for number in numbers {
        let address = format!("gone{number}@outside.example");
        relay.set_reply(&address, "550 5.1.1 no such user");
        agent.send(json!({"to": address, "text": "hello"})).await;
    }
}

/// Waits until that many messages have bounced, and starts a worker: it reviews the sending at once, and then at an interval.
async fn start_review(
    server: &TestServer,
    relay: &RelayServer,
    agent: &Persona,
    bounces: u64,
    brake: &str,
) -> TestServer {
    eventually("all have bounced", async || {
        let counts = agent.get("/v0/metrics/events?event_types=message.bounced").await.ok();
        let buckets = counts["message.bounced"].as_array().into_iter().flatten();
        (buckets.map(|bucket| bucket["count"].as_u64().unwrap()).sum::<u64>() == bounces).then_some(())
    })
    .await;
    let worker = second_process(server).set("INBOXD_SENDING_BRAKE", brake).set("INBOXD_ROLES", "worker");
    worker.relay(relay).start().await
}

/// Returns the id of the organization of an agent as the database stores it.
fn database_id(agent: &Persona) -> &str {
    agent.organization_id.trim_start_matches("org_")
}

/// Waits for the event of a change of the brake, and returns its body.
async fn wait_for_brake(agent: &Persona, event_type: &str) -> Value {
    eventually(event_type, async || {
        let events = agent.get(&format!("/v0/events?event_types={event_type}")).await.ok();
        events["events"].as_array().unwrap().first().map(|event| event["sending"].clone())
    })
    .await
}

#[tokio::test]
async fn bounces_slow_then_hold_the_sending_until_the_operator_lifts_the_brake() {
    let (relay, server, agent) = server_with_relay().await;
    let other = server.sign_up("other@example.org", "ranger").await;
    other.verify_with(&relay.code_for("other@example.org").await).await;
    set_plan(&server, &agent, "startup").await;
    let letter = json!({"to": "bob@outside.example", "subject": "news", "text": "hello"});
    agent.send(letter.clone()).await;

    send_to_nobody(&relay, &agent, 0..10).await;
    let _first_worker = start_review(&server, &relay, &agent, 10, "on").await;
    let slowed = wait_for_brake(&agent, "sending.slowed").await;
    let reason = "10 of 11 messages of the last two days bounced permanently; the limit is 5 %";
    assert_eq!(slowed, json!({"reason": reason, "sent": 11, "bounced": 10, "complained": 0}));
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!(
        (&organization["sending"]["status"], &organization["sending"]["reason"]),
        (&json!("slowed"), &json!(reason))
    );
    let told = relay.mail_about("Your sending is slowed").await.text().replace("=\r\n", "");
    assert!(told.contains(reason), "{told}");
    // A slowed organization still sends, up to 100 messages a day.
    agent.send(letter.clone()).await;
    let counted = |count: u32| {
        format!("UPDATE send_counts SET count = {count} WHERE organization_id = '{}'", database_id(&agent))
    };
    server.database().execute(&counted(100)).await;
    let path = agent.inbox("/messages/send");
    let refused = agent.post(&path, letter.clone()).await;
    assert!(refused.header("retry-after").is_some());
    assert!(refused.require_error(429, "sending_slowed")["message"].as_str().unwrap().contains(reason));
    let dry = agent.post(&path, json!({"to": "bob@outside.example", "text": "x", "dry_run": true})).await.ok();
    assert_eq!(dry["quota"]["today"]["limit"], json!(100), "{dry:#}");
    server.database().execute(&counted(12)).await;

    send_to_nobody(&relay, &agent, 10..20).await;
    let _second_worker = start_review(&server, &relay, &agent, 20, "on").await;
    let held = wait_for_brake(&agent, "sending.held").await;
    assert_eq!((&held["bounced"], &held["sent"]), (&json!(20), &json!(22)));
    agent.post(&path, letter.clone()).await.require_error(403, "sending_held");
    let organizations = String::from_utf8(server.command(&["admin", "organizations"]).await.stdout).unwrap();
    assert!(
        organizations.lines().any(|line| line.contains(&agent.organization_id) && line.contains("held")),
        "{organizations}"
    );
    let told = relay.mail_about("Your sending is held").await.text().replace("=\r\n", "");
    assert!(told.contains("operator of this server"), "{told}");
    // It still receives, and others still send.
    other.send(json!({"to": agent.inbox_id, "subject": "still here", "text": "hello"})).await;
    eventually("mail arrives", async || {
        agent.messages().await.into_iter().find(|message| message["subject"] == "still here")
    })
    .await;

    let lifted = server.command(&["admin", "lift-brake", &agent.organization_id]).await;
    assert!(lifted.status.success(), "{lifted:?}");
    wait_for_brake(&agent, "sending.resumed").await;
    assert!(agent.get("/v0/organizations").await.ok().get("sending").is_none());
    agent.send(json!({"to": "bob@outside.example", "subject": "free again", "text": "hello"})).await;
    relay.mail_about("free again").await;
    let audit = agent.get("/v0/audit?action=organization.updated").await.ok();
    let of_brake = |entry: &&Value| ["before", "after"].iter().any(|side| entry[side].get("sending").is_some());
    assert_eq!(audit["entries"].as_array().unwrap().iter().filter(of_brake).count(), 3, "{audit:#}");
}

#[tokio::test]
async fn mail_queued_before_the_brake_waits_for_its_end() {
    let (relay, server, agent) = server_with_relay().await;
    relay.set_reply("bob@outside.example", "451 4.3.0 later");
    agent.send(json!({"to": "bob@outside.example", "subject": "queued", "text": "hello"})).await;
    send_to_nobody(&relay, &agent, 0..20).await;
    let _worker = start_review(&server, &relay, &agent, 20, "on").await;
    wait_for_brake(&agent, "sending.held").await;
    relay.set_reply("bob@outside.example", "250 2.0.0 ok");
    // The hold of the queue gives all messages of the organization a due time that never comes.
    eventually("the queue is held", async || {
        let held = "SELECT (held_due_at IS NOT NULL)::text AS text FROM outgoing WHERE NOT is_code";
        (server.database().session().await.texts(held).await == ["true"]).then_some(())
    })
    .await;
    assert!(server.command(&["admin", "lift-brake", &agent.organization_id]).await.status.success());
    server.database().execute("UPDATE outgoing SET due_at = now() WHERE NOT is_code").await;
    relay.mail_about("queued").await;
}

#[tokio::test]
async fn brake_can_be_turned_off() {
    let (relay, server, agent) =
        super::server_with_relay_and_options(options().set("INBOXD_SENDING_BRAKE", "off")).await;
    send_to_nobody(&relay, &agent, 0..20).await;
    let _worker = start_review(&server, &relay, &agent, 20, "off").await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    agent.send(json!({"to": "bob@outside.example", "text": "hello"})).await;
    assert!(agent.get("/v0/organizations").await.ok().get("sending").is_none());
}
