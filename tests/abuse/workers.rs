//! Limits of one tenant in delivery and webhooks.

use std::process::Stdio;
use std::time::{Duration, Instant};

use inboxd_testkit::{HttpClient, HttpRequest, Persona, Reaction, TestServer, WebhookReceiver, eventually};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::support::{count, mail_to, options, receive, run_concurrently, server_and_agent, set_plan, uuid};

/// An agent with that many webhooks to one receiver.
async fn agent_with_webhooks(server: &TestServer, name: &str, receiver: &WebhookReceiver, count: usize) -> Persona {
    let agent = server.verified(&format!("{name}@example.org"), name).await;
    set_plan(server, &agent, "business").await;
    let creations = (0..count).map(|number| {
        let (agent, url) = (agent.clone(), format!("{}?number={number}", receiver.url()));
        async move { agent.post("/v0/webhooks", json!({"url": url})).await }
    });
    for created in run_concurrently(creations).await {
        created.ok();
    }
    agent
}

#[tokio::test]
async fn slow_receivers_of_two_tenants_leave_permits_to_third() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let slow = WebhookReceiver::start_with(|_| Reaction::Hang).await;
    let quick = WebhookReceiver::start().await;
    let victim = agent_with_webhooks(&server, "victim", &quick, 1).await;
    for name in ["greedy", "hungry"] {
        let agent = agent_with_webhooks(&server, name, &slow, 50).await;
        for number in 0..6 {
            receive(&server, &agent, &mail_to(&agent, &format!("number {number}"))).await;
        }
    }
    // The deliveries of both would use all permits of the process.
    eventually("slow deliveries have reached their limit", async || {
        let before = slow.connections();
        tokio::time::sleep(Duration::from_millis(1200)).await;
        (before >= 80 && slow.connections() == before).then_some(())
    })
    .await;
    let begun = Instant::now();
    receive(&server, &victim, &mail_to(&victim, "urgent")).await;
    quick.wait_for_requests(1).await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn loop_over_new_threads_stops_at_hourly_budget() {
    let server = options().set("INBOXD_LOOP_BUDGET_PER_HOUR", "20").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    set_plan(&server, &agent, "business").await;
    let sends = (0..30).map(|number| {
        let (agent, path) = (agent.clone(), agent.inbox("/messages/send"));
        // Tags and letter cases lead to the same mailbox.
        let to =
            if number % 2 == 0 { format!("bob+{number}@outside.example") } else { "Bob@OUTSIDE.example".to_owned() };
        async move { agent.post(&path, json!({"to": to, "subject": format!("number {number}"), "text": "x"})).await }
    });
    let answers = run_concurrently(sends).await;
    assert_eq!((count(&answers, 200), count(&answers, 429)), (20, 10));
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    refused.require_error(429, "loop_budget_reached");
    let wait: u64 = refused.header("Retry-After").unwrap().parse().unwrap();
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    agent.send(json!({"to": "carol@outside.example", "subject": "another", "text": "x"})).await;
}

#[tokio::test]
async fn stalled_log_reader_does_not_block_server() {
    let (server, agent) = server_and_agent().await;
    let mut process = Command::new(env!("CARGO_BIN_EXE_inboxd"))
        .arg("serve")
        .env("INBOXD_DATABASE_URL", server.database().url())
        .env("INBOXD_DATA_DIR", server.data_dir())
        .env("INBOXD_HTTP_ADDR", "127.0.0.1:0")
        .env("INBOXD_ROLES", "http")
        .stdout(Stdio::piped())
        // The test does not read the pipe, which holds 64 KiB.
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some((_, rest)) = line.split_once("API   http://") {
            break rest.split_whitespace().next().unwrap().to_owned();
        }
    };
    let client = HttpClient::new(address).with_key(&agent.key);
    let begun = Instant::now();
    for _ in 0..10 {
        let requests = (0..100).map(|_| {
            let client = client.clone();
            async move { client.get("/v0/inboxes").await }
        });
        let answers = timeout(Duration::from_secs(20), run_concurrently(requests)).await.unwrap();
        // A rate limit applies too; every response writes a log line.
        assert_eq!(count(&answers, 200) + count(&answers, 429), 100);
    }
    assert!(begun.elapsed() < Duration::from_secs(30));
    let terminate = Command::new("kill").args(["-TERM", &process.id().unwrap().to_string()]).status().await.unwrap();
    assert!(terminate.success());
    let ended = timeout(Duration::from_secs(15), process.wait()).await.unwrap().unwrap();
    assert!(ended.success(), "{ended}");
}

#[tokio::test]
async fn claims_of_killed_process_are_released_after_restart() {
    let mut server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let receiver = WebhookReceiver::start_with(|_| Reaction::Hang).await;
    let agent = agent_with_webhooks(&server, "scout", &receiver, 1).await;
    receive(&server, &agent, &mail_to(&agent, "in hand")).await;
    receiver.wait_for_requests(1).await;
    // An idempotency key that a send of this process has claimed.
    let claim = format!(
        "INSERT INTO send_keys (organization_id, key, request, claim_id, claimed_until, used_at)
        SELECT '{}', 'in-hand', sha256('x'), overlay(gen_random_uuid()::text PLACING right(process_id::text, 12) FROM 25)::uuid,
            now() + interval '1 minute', now() FROM processes",
        uuid(&json!(agent.organization_id))
    );
    eventually("the process has a heartbeat", async || {
        let check = "SELECT 1 / (count(*) = 1)::int FROM processes";
        server.database().try_execute(check).await.ok()
    })
    .await;
    server.database().execute(&claim).await;
    let send = |agent: Persona| async move {
        let body = json!({"to": "bob@outside.example", "subject": "once", "text": "x"});
        let request = HttpRequest::new("POST", &agent.inbox("/messages/send")).header("Idempotency-Key", "in-hand");
        agent.call(request.json(&body)).await
    };
    send(agent.clone()).await.require_error(409, "conflict");
    server.kill().await;
    receiver.set_reaction(|_| Reaction::Status(200));
    let begun = Instant::now();
    server.restart().await;
    receiver.wait_for_requests(2).await;
    let agent = agent.at(&server);
    eventually("the key is free", async || (send(agent.clone()).await.status == 200).then_some(())).await;
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
