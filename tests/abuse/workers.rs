//! One tenant against the shares of delivery and webhooks.

use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, Reaction, Receiver, Server, eventually};
use serde_json::json;

use crate::support::{mail_to, options, receive, set_plan};

/// An agent with so many webhooks that all lead to one receiver.
async fn agent_with_webhooks(server: &Server, name: &str, receiver: &Receiver, count: usize) -> Persona {
    let agent = server.verified(&format!("{name}@example.org"), name).await;
    set_plan(server, &agent, "business").await;
    for number in 0..count {
        let url = format!("{}?number={number}", receiver.url());
        agent.post("/v0/webhooks", json!({"url": url})).await.ok();
    }
    agent
}

#[tokio::test]
async fn slow_receivers_of_two_tenants_leave_places_to_a_third() {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let slow = Receiver::reacting(|_| Reaction::Hang).await;
    let quick = Receiver::start().await;
    let victim = agent_with_webhooks(&server, "victim", &quick, 1).await;
    for name in ["greedy", "hungry"] {
        let agent = agent_with_webhooks(&server, name, &slow, 50).await;
        for number in 0..8 {
            receive(&server, &agent, &mail_to(&agent, &format!("number {number}"))).await;
        }
    }
    // The deliveries of both would take every place of the process.
    eventually("slow deliveries are in hand", async || (slow.connections() >= 80).then_some(())).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begun = Instant::now();
    receive(&server, &victim, &mail_to(&victim, "urgent")).await;
    quick.until(1).await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}
