//! Deliveries that fail: when they are tried again, and when a webhook is given up.

use inboxd_testkit::{Persona, Reaction, Receiver, Server, eventually};
use serde_json::json;

use super::delivery::{agent_that_tells, event_ids, hook};
use super::path;
use crate::support::{mail_to, options, receive, receive_all};

/// Makes every delivery due that waits for its next attempt: a test need not wait for hours.
async fn hasten(server: &Server) {
    server.database().execute("UPDATE webhook_deliveries SET due_at = now() WHERE claim_id IS NULL").await;
}

/// Waits until the queue and the log of attempts are so: `what` is a condition over `deliveries` and `attempts`.
async fn until(server: &Server, what: &str) {
    // A division by zero until it is so.
    let check = format!(
        "SELECT 1 / ({what})::int FROM (SELECT
            (SELECT count(*) FROM webhook_deliveries) AS deliveries,
            (SELECT count(*) FROM webhook_deliveries WHERE claim_id IS NOT NULL) AS claimed,
            (SELECT count(*) FROM webhook_attempts) AS attempts,
            (SELECT count(*) FROM webhook_attempts WHERE next_attempt_at IS NOT NULL) AS deferred) AS counts"
    );
    eventually(what, async || server.database().try_execute(&check).await.ok()).await;
}

async fn agent_with_mail(receiver: &Receiver) -> (Server, Persona, serde_json::Value) {
    let (server, agent) = agent_that_tells().await;
    let webhook = hook(&agent, receiver, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    (server, agent, webhook)
}

#[tokio::test]
async fn a_delivery_that_failed_is_tried_again_after_five_seconds_with_the_same_id() {
    let receiver = Receiver::reacting(|_| Reaction::Status(500)).await;
    let (server, _agent, _) = agent_with_mail(&receiver).await;
    receiver.until(1).await;
    receiver.react(|_| Reaction::Status(204));
    let told = receiver.until(2).await;
    let [first, second] = event_ids(&told).try_into().unwrap();
    assert_eq!(first, second);
    assert_eq!(told[0].body, told[1].body);
    let at = |place: usize| told[place].header("webhook-timestamp").parse::<i64>().unwrap();
    assert!(at(1) >= at(0) + 4, "{} and {}", at(0), at(1));
    until(&server, "deliveries = 0 AND attempts = 2 AND deferred = 1").await;
    let logged = "SELECT 1 / (count(*) = 1)::int FROM webhook_attempts WHERE status_code = 500
        AND response_body = 'said' AND next_attempt_at - attempted_at BETWEEN interval '5 s' AND interval '10 s'";
    server.database().execute(logged).await;
}

#[tokio::test]
async fn eight_attempts_are_made_and_no_ninth() {
    let receiver = Receiver::reacting(|_| Reaction::Status(500)).await;
    let (server, agent, _) = agent_with_mail(&receiver).await;
    for attempt in 1..=8 {
        receiver.until(attempt).await;
        until(&server, &format!("attempts = {attempt} AND claimed = 0")).await;
        hasten(&server).await;
    }
    until(&server, "deliveries = 0 AND deferred = 7").await;
    // What comes after it is told as ever.
    receiver.react(|_| Reaction::Status(200));
    receive(&server, &agent, &mail_to(&agent, "next")).await;
    until(&server, "deliveries = 0 AND attempts = 9").await;
    assert_eq!(receiver.told().len(), 9);
}

#[tokio::test]
async fn redirects_are_failures_and_lead_nowhere() {
    let elsewhere = Receiver::start().await;
    let location = elsewhere.url();
    let redirect = format!("HTTP/1.1 307 Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let receiver = Receiver::reacting(move |_| Reaction::Octets(redirect.clone().into_bytes())).await;
    let (server, _agent, _) = agent_with_mail(&receiver).await;
    until(&server, "attempts = 1 AND deferred = 1").await;
    server.database().execute("SELECT 1 / (status_code = 307)::int FROM webhook_attempts").await;
    assert_eq!(elsewhere.told().len(), 0);
}

#[tokio::test]
async fn new_events_do_not_wait_behind_those_that_failed() {
    let receiver = Receiver::reacting(|_| Reaction::Status(500)).await;
    let (server, agent, _) = agent_with_mail(&receiver).await;
    until(&server, "attempts = 1 AND claimed = 0").await;
    receiver.react(|told| Reaction::Status(if told.event()["message"]["subject"] == "first" { 500 } else { 200 }));
    receive_all(&server, &agent, &["second", "third"]).await;
    until(&server, "attempts >= 3 AND deliveries = 1").await;
}

#[tokio::test]
async fn five_days_of_failures_disable_a_webhook_and_say_so() {
    let receiver = Receiver::reacting(|_| Reaction::Status(500)).await;
    let (server, agent, webhook) = agent_with_mail(&receiver).await;
    until(&server, "attempts = 1 AND claimed = 0").await;
    let made = agent.get(&path(&webhook, "")).await.ok();
    assert_eq!(made["enabled"], true);
    let long_ago = "UPDATE webhooks SET failing_since = now() - interval '5 days',
        last_failed_at = now() - interval '10 hours'";
    server.database().execute(long_ago).await;
    hasten(&server).await;
    eventually("the webhook is disabled", async || {
        (agent.get(&path(&webhook, "")).await.ok()["enabled"] == false).then_some(())
    })
    .await;
    let webhook_id = webhook["webhook_id"].as_str().unwrap();
    let is_told = |line: &String| line.contains("webhook disabled") && line.contains(webhook_id);
    eventually("the log says so", async || server.log().lines().iter().any(is_told).then_some(())).await;
    // Once it is enabled again, what was on its way goes on.
    receiver.react(|_| Reaction::Status(200));
    agent.patch(&path(&webhook, ""), json!({"enabled": true})).await.ok();
    hasten(&server).await;
    until(&server, "deliveries = 0").await;
}

#[tokio::test]
async fn what_a_killed_server_had_in_hand_is_told_by_the_next() {
    let receiver = Receiver::reacting(|_| Reaction::Hang).await;
    let (mut server, _agent, _) = agent_with_mail(&receiver).await;
    let first = receiver.until(1).await;
    server.kill_9().await;
    receiver.react(|_| Reaction::Status(200));
    // The claim of the dead runs out after a minute; a test need not wait for that.
    server.database().execute("UPDATE webhook_deliveries SET due_at = now()").await;
    server.restart().await;
    let told = receiver.until(2).await;
    assert_eq!(event_ids(&told[..1]), event_ids(&first));
    assert_eq!(event_ids(&told[1..]), event_ids(&first), "the same id, by which it is known as a repeat");
    until(&server, "deliveries = 0 AND attempts = 1").await;
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_finishes_what_is_on_its_way() {
    let receiver = Receiver::reacting(|_| Reaction::Hold).await;
    let (mut server, _agent, _) = agent_with_mail(&receiver).await;
    receiver.until(1).await;
    server.ask_to_stop();
    let is_stopping = |line: &String| line.contains("stopping");
    eventually("the server stops", async || server.log().lines().iter().any(is_stopping).then_some(())).await;
    receiver.release();
    assert!(server.ended().await.success());
    until(&server, "deliveries = 0 AND attempts = 1").await;
}

#[tokio::test]
async fn several_processes_tell_each_event_once() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let process = || options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").set("INBOXD_SECRET_KEY", secret);
    let server = process().start().await;
    // While it is alone: any of them may mail the code, into its own log.
    let agent = server.verified("owner@example.org", "scout").await;
    let beside = || process().set("INBOXD_ROLES", "worker").set("INBOXD_DATABASE_URL", server.database().url());
    let _others = (beside().start().await, beside().start().await);
    let receiver = Receiver::start().await;
    hook(&agent, &receiver, json!({})).await;
    let subjects: Vec<String> = (0..80).map(|number| format!("mail {number:02}")).collect();
    receive_all(&server, &agent, &subjects.iter().map(String::as_str).collect::<Vec<_>>()).await;
    until(&server, "deliveries = 0 AND attempts = 80").await;
    let mut ids = event_ids(&receiver.told());
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), receiver.told().len()), (80, 80));
}

#[tokio::test]
async fn what_came_of_a_delivery_outlasts_an_outage_of_the_database() {
    let receiver = Receiver::reacting(|_| Reaction::Hold).await;
    let (server, agent, _) = agent_with_mail(&receiver).await;
    receiver.until(1).await;
    server.database().begin_outage().await;
    receiver.release();
    let is_noticed = |line: &String| line.contains("webhook outcomes not stored");
    eventually("it cannot be stored", async || server.log().lines().iter().any(is_noticed).then_some(())).await;
    server.database().end_outage().await;
    until(&server, "deliveries = 0 AND attempts = 1").await;
    // And all goes on by itself.
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    until(&server, "deliveries = 0 AND attempts = 2").await;
    assert_eq!(receiver.told().len(), 2, "nothing was told twice");
}

#[tokio::test]
async fn a_private_address_is_refused_again_when_the_connection_is_made() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let process = |roles: &str| options().set("INBOXD_SECRET_KEY", secret).set("INBOXD_ROLES", roles);
    let lenient = process("http,smtp").set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let strict = process("worker").set("INBOXD_DATABASE_URL", lenient.database().url()).start().await;
    let agent = lenient.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&strict.log().code_for("owner@example.org").await).await;
    let receiver = Receiver::start().await;
    hook(&agent, &receiver, json!({})).await;
    receive(&lenient, &agent, &mail_to(&agent, "first")).await;
    until(&lenient, "attempts >= 1").await;
    let logged = "SELECT 1 / bool_and(status_code IS NULL AND error LIKE 'the host of the URL cannot be reached%')::int
        FROM webhook_attempts";
    lenient.database().execute(logged).await;
    assert_eq!(receiver.connections(), 0);
}
