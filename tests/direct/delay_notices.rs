//! Undeliverable mail: a notice to the sender after four hours, and a bounce at the end.

use inboxd_testkit::{Persona, TestServer, eventually};
use serde_json::{Value, json};

use super::{DirectDelivery, queued_mails, start_direct_delivery};

/// Moves a queued mail into the past by that many hours, with an attempt for each twelve of them, and makes it due.
async fn move_into_past(server: &TestServer, hours: u32) {
    let tried = "attempts > 0 AND due_at < now() + interval '5 min'";
    eventually("the mail was tried and is deferred", async || {
        (!queued_mails(server, tried).await.is_empty()).then_some(())
    })
    .await;
    let attempts = hours / 12;
    let sql = format!(
        "UPDATE outgoing SET created_at = created_at - interval '{hours} hours', attempts = attempts + {attempts},
        due_at = now()"
    );
    server.database().execute(&sql).await;
}

async fn bounces(agent: &Persona, count: usize) -> Vec<Value> {
    eventually(&format!("{count} bounces"), async || {
        let list = agent.get("/v0/events?event_types=message.bounced&ascending=true").await.ok();
        let bounces: Vec<_> = list["events"].as_array().unwrap().iter().map(|event| event["bounce"].clone()).collect();
        (bounces.len() == count).then_some(bounces)
    })
    .await
}

#[tokio::test]
async fn sender_receives_one_delay_notice_and_final_outcome() {
    let DirectDelivery { dns: _dns, hosts, server, agent } = start_direct_delivery(1).await;
    hosts[0].set_reply("anna@example.org", "451 4.3.0 not now");
    let sent = agent.send(json!({"to": "anna@example.org", "text": "hello"})).await;
    let labels = async || agent.get(&agent.message(&sent["message_id"], "")).await.ok()["labels"].clone();

    move_into_past(&server, 5).await;
    let told = bounces(&agent, 1).await.remove(0);
    assert_eq!((&told["type"], &told["sub_type"]), (&json!("Transient"), &json!("Delayed")));
    assert_eq!(told["recipients"], json!([{"address": "anna@example.org", "status": "4.0.0"}]));
    assert_eq!(labels().await, json!(["sent"]), "no bounce yet");

    move_into_past(&server, 72).await;
    let ended = bounces(&agent, 2).await;
    let ended = ended.iter().find(|bounce| bounce["sub_type"] != "Delayed").unwrap();
    assert_eq!((&ended["type"], &ended["recipients"][0]["status"]), (&json!("Transient"), &json!("4.4.7")));
    assert_eq!(labels().await, json!(["bounced", "sent"]));
    // The address may be valid, so it is not suppressed.
    hosts[0].set_reply("anna@example.org", "250 2.1.5 ok");
    let sent = agent.send(json!({"to": "anna@example.org", "subject": "again", "text": "hello"})).await;
    assert!(sent["message_id"].is_string());
    hosts[0].mail_about("again").await;
}
