//! Failed deliveries: retries, and disabled webhooks.

use inboxd_testkit::{Persona, Reaction, TestServer, WebhookReceiver, eventually};
use serde_json::json;

use super::delivery::{agent_with_local_webhooks, create_webhook_to, event_ids};
use super::webhook_path;
use crate::support::{mail_to, options, receive, receive_all};

/// Makes every delivery due that waits for a retry.
pub(super) async fn make_due(server: &TestServer) {
    server.database().execute("UPDATE webhook_deliveries SET due_at = now() WHERE claim_id IS NULL").await;
}

/// Waits until `what`, an SQL condition over `deliveries` and `attempts`, is true.
async fn wait_until(server: &TestServer, what: &str) {
    let check = format!(
        "SELECT ({what})::text AS text FROM (SELECT
            (SELECT count(*) FROM webhook_deliveries) AS deliveries,
            (SELECT count(*) FROM webhook_deliveries WHERE claim_id IS NOT NULL) AS claimed,
            (SELECT count(*) FROM webhook_attempts) AS attempts,
            (SELECT count(*) FROM webhook_attempts WHERE next_attempt_at IS NOT NULL) AS deferred) AS counts"
    );
    let mut session = server.database().session().await;
    eventually(what, async || (session.texts(&check).await == ["true"]).then_some(())).await;
}

async fn agent_with_mail(receiver: &WebhookReceiver) -> (TestServer, Persona, serde_json::Value) {
    let (server, agent) = agent_with_local_webhooks().await;
    let webhook = create_webhook_to(&agent, receiver, json!({})).await;
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    (server, agent, webhook)
}

#[tokio::test]
async fn failed_delivery_is_retried_after_five_seconds_with_same_id() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Status(500)).await;
    let (server, _agent, _) = agent_with_mail(&receiver).await;
    receiver.wait_for_requests(1).await;
    receiver.set_reaction(|_| Reaction::Status(204));
    let told = receiver.wait_for_requests(2).await;
    let [first, second] = event_ids(&told).try_into().unwrap();
    assert_eq!(first, second);
    assert_eq!(told[0].body, told[1].body);
    let at = |place: usize| told[place].header("webhook-timestamp").parse::<i64>().unwrap();
    assert!(at(1) >= at(0) + 4, "{} and {}", at(0), at(1));
    wait_until(&server, "deliveries = 0 AND attempts = 2 AND deferred = 1").await;
    let logged = "SELECT 1 / (count(*) = 1)::int FROM webhook_attempts WHERE status_code = 500
        AND response_body = 'done' AND next_attempt_at - attempted_at BETWEEN interval '5 s' AND interval '10 s'";
    server.database().execute(logged).await;
}

#[tokio::test]
async fn delivery_is_abandoned_after_eight_attempts() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Status(500)).await;
    let (server, agent, _) = agent_with_mail(&receiver).await;
    for attempt in 1..=8 {
        receiver.wait_for_requests(attempt).await;
        wait_until(&server, &format!("attempts = {attempt} AND claimed = 0")).await;
        make_due(&server).await;
    }
    wait_until(&server, "deliveries = 0 AND deferred = 7").await;
    // Later events are delivered as usual.
    receiver.set_reaction(|_| Reaction::Status(200));
    receive(&server, &agent, &mail_to(&agent, "next")).await;
    wait_until(&server, "deliveries = 0 AND attempts = 9").await;
    assert_eq!(receiver.requests().len(), 9);
}

#[tokio::test]
async fn redirect_is_failure_and_not_followed() {
    let elsewhere = WebhookReceiver::start().await;
    let location = elsewhere.url();
    let redirect = format!("HTTP/1.1 307 Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let receiver = WebhookReceiver::start_with(move |_| Reaction::Bytes(redirect.clone().into_bytes())).await;
    let (server, _agent, _) = agent_with_mail(&receiver).await;
    wait_until(&server, "attempts = 1 AND deferred = 1").await;
    server.database().execute("SELECT 1 / (status_code = 307)::int FROM webhook_attempts").await;
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn new_events_do_not_wait_for_failed_ones() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Status(500)).await;
    let (server, agent, _) = agent_with_mail(&receiver).await;
    wait_until(&server, "attempts = 1 AND claimed = 0").await;
    receiver
        .set_reaction(|told| Reaction::Status(if told.event()["message"]["subject"] == "first" { 500 } else { 200 }));
    receive_all(&server, &agent, &["second", "third"]).await;
    wait_until(&server, "attempts >= 3 AND deliveries = 1").await;
}

#[tokio::test]
async fn five_days_of_failures_disable_webhook_with_log_entry() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Status(500)).await;
    let (server, agent, webhook) = agent_with_mail(&receiver).await;
    wait_until(&server, "attempts = 1 AND claimed = 0").await;
    let made = agent.get(&webhook_path(&webhook, "")).await.ok();
    assert_eq!(made["enabled"], true);
    let long_ago = "UPDATE webhooks SET failing_since = now() - interval '5 days',
        last_failed_at = now() - interval '10 hours'";
    server.database().execute(long_ago).await;
    make_due(&server).await;
    eventually("the webhook is disabled", async || {
        (agent.get(&webhook_path(&webhook, "")).await.ok()["enabled"] == false).then_some(())
    })
    .await;
    let webhook_id = webhook["webhook_id"].as_str().unwrap();
    let is_told = |line: &String| line.contains("webhook disabled") && line.contains(webhook_id);
    eventually("the log has an entry", async || server.log().lines().iter().any(is_told).then_some(())).await;
    // After it is enabled, the pending deliveries continue.
    receiver.set_reaction(|_| Reaction::Status(200));
    agent.patch(&webhook_path(&webhook, ""), json!({"enabled": true})).await.ok();
    make_due(&server).await;
    wait_until(&server, "deliveries = 0").await;
}

#[tokio::test]
async fn deliveries_claimed_by_killed_server_are_completed_by_next() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Hang).await;
    let (mut server, _agent, _) = agent_with_mail(&receiver).await;
    let first = receiver.wait_for_requests(1).await;
    server.kill().await;
    receiver.set_reaction(|_| Reaction::Status(200));
    // The claim of the killed process expires after a minute; the test does not wait for it.
    server.database().execute("UPDATE webhook_deliveries SET due_at = now()").await;
    server.restart().await;
    let told = receiver.wait_for_requests(2).await;
    assert_eq!(event_ids(&told[..1]), event_ids(&first));
    assert_eq!(event_ids(&told[1..]), event_ids(&first), "the same id, which identifies a repetition");
    wait_until(&server, "deliveries = 0 AND attempts = 1").await;
}

#[tokio::test]
async fn stopping_server_completes_running_deliveries() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Hold).await;
    let (mut server, _agent, _) = agent_with_mail(&receiver).await;
    receiver.wait_for_requests(1).await;
    server.send_sigterm();
    let is_stopping = |line: &String| line.contains("shutdown requested");
    eventually("the server stops", async || server.log().lines().iter().any(is_stopping).then_some(())).await;
    receiver.release();
    assert!(server.wait_for_exit().await.success());
    wait_until(&server, "deliveries = 0 AND attempts = 1").await;
}

#[tokio::test]
async fn several_processes_deliver_each_event_once() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let process = || options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").set("INBOXD_SECRET_KEY", secret);
    let server = process().start().await;
    // Before the second process starts, because any process may mail the code into its log.
    let agent = server.verified("owner@example.org", "scout").await;
    let beside = || process().set("INBOXD_ROLES", "worker").set("INBOXD_DATABASE_URL", server.database().url());
    let _others = (beside().start().await, beside().start().await);
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({})).await;
    let subjects: Vec<String> = (0..40).map(|number| format!("mail {number:02}")).collect();
    receive_all(&server, &agent, &subjects.iter().map(String::as_str).collect::<Vec<_>>()).await;
    wait_until(&server, "deliveries = 0 AND attempts = 40").await;
    let mut ids = event_ids(&receiver.requests());
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), receiver.requests().len()), (40, 40));
}

#[tokio::test]
async fn delivery_outcome_survives_database_outage() {
    let receiver = WebhookReceiver::start_with(|_| Reaction::Hold).await;
    let (server, agent, _) = agent_with_mail(&receiver).await;
    receiver.wait_for_requests(1).await;
    server.database().begin_outage().await;
    receiver.release();
    let is_noticed = |line: &String| line.contains("webhook outcomes not stored");
    eventually("it cannot be stored", async || server.log().lines().iter().any(is_noticed).then_some(())).await;
    server.database().end_outage().await;
    wait_until(&server, "deliveries = 0 AND attempts = 1").await;
    // The rest needs no action.
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    wait_until(&server, "deliveries = 0 AND attempts = 2").await;
    assert_eq!(receiver.requests().len(), 2, "no event was delivered twice");
}

#[tokio::test]
async fn private_address_is_refused_again_at_connection() {
    let secret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let process = |roles: &str| options().set("INBOXD_SECRET_KEY", secret).set("INBOXD_ROLES", roles);
    let lenient = process("http,smtp").set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let strict = process("worker").set("INBOXD_DATABASE_URL", lenient.database().url()).start().await;
    let agent = lenient.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&strict.log().code_for("owner@example.org").await).await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({})).await;
    receive(&lenient, &agent, &mail_to(&agent, "first")).await;
    wait_until(&lenient, "attempts >= 1").await;
    let logged = "SELECT 1 / bool_and(status_code IS NULL AND error LIKE 'the host of the URL cannot be reached%')::int
        FROM webhook_attempts";
    lenient.database().execute(logged).await;
    assert_eq!(receiver.connections(), 0);
}
