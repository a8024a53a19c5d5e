//! Webhooks limited to trusted mail.

use inboxd_testkit::{MailBuilder, ReceivedRequest, WebhookReceiver};
use serde_json::{Value, json};

use super::delivery::{agent_with_local_webhooks, create_webhook_to};
use super::webhook_path;
use crate::support::{mail_to, receive, server_and_agent};

fn subjects(told: &[ReceivedRequest]) -> Vec<Value> {
    told.iter().map(|told| told.event()["message"]["subject"].clone()).collect()
}

#[tokio::test]
async fn webhook_receives_mail_with_its_verdicts_and_all_other_events() {
    let (server, agent) = agent_with_local_webhooks().await;
    server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    let (known, strange, all) =
        (WebhookReceiver::start().await, WebhookReceiver::start().await, WebhookReceiver::start().await);
    let types = ["message.sent", "message.received"];
    let limited =
        create_webhook_to(&agent, &known, json!({"trust": ["known", "trusted", "known"], "event_types": types})).await;
    assert_eq!(limited["trust"], json!(["trusted", "known"]));
    create_webhook_to(&agent, &strange, json!({"trust": "first_contact", "event_types": ["message.received"]})).await;
    let unlimited = create_webhook_to(&agent, &all, json!({"event_types": ["message.received"]})).await;
    assert_eq!(unlimited.get("trust"), None);
    receive(&server, &agent, &mail_to(&agent, "stranger")).await;
    agent.send(json!({"to": "alice@outside.example", "subject": "out", "text": "hello"})).await;
    receive(&server, &agent, &mail_to(&agent, "correspondent")).await;
    assert_eq!(subjects(&all.wait_for_requests(2).await), ["stranger", "correspondent"]);
    assert_eq!(subjects(&strange.wait_for_requests(1).await), ["stranger"]);
    let told = known.wait_for_requests(2).await;
    let kinds: Vec<Value> = told.iter().map(|told| told.event()["event_type"].clone()).collect();
    assert!(kinds.contains(&json!("message.sent")) && kinds.contains(&json!("message.received")), "{kinds:?}");
    let subject = told.iter().map(ReceivedRequest::event).find(|event| event["event_type"] == "message.received");
    assert_eq!(subject.unwrap()["message"]["subject"], "correspondent");

    let stranger = agent.get("/v0/events?trust=first_contact&event_types=message.received").await.ok();
    let event_id = &stranger["events"][0]["event_id"];
    let again = agent.post(&webhook_path(&limited, "/replay"), json!({"event_id": event_id})).await;
    again.require_error(422, "validation_error");
    let since = json!({"since": "2026-01-01T00:00:00Z"});
    agent.patch(&webhook_path(&limited, ""), json!({"event_types": ["message.received"]})).await.ok();
    let replayed = agent.post(&webhook_path(&limited, "/replay"), since).await.ok();
    assert_eq!(replayed["queued"], 1, "a replay applies the same limit: {replayed}");
}

#[tokio::test]
async fn mail_without_verdict_matches_no_limit() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    let types = json!(["message.received"]);
    receive(&server, &agent, &mail_to(&agent, "old")).await;
    let first = agent.get("/v0/events?limit=1").await.ok()["events"][0]["event_id"].clone();
    server.database().execute("UPDATE feed SET verdict = NULL; UPDATE events SET body = body - 'verdict'").await;
    let every = json!({"trust": ["trusted", "known", "first_contact", "suspicious"], "event_types": types});
    let limited = create_webhook_to(&agent, &receiver, every).await;
    let again = json!({"event_id": first});
    agent.post(&webhook_path(&limited, "/replay"), again.clone()).await.require_error(422, "validation_error");
    agent.patch(&webhook_path(&limited, ""), json!({"trust": []})).await.ok();
    agent.post(&webhook_path(&limited, "/replay"), again).await.ok();
    assert_eq!(subjects(&receiver.wait_for_requests(1).await), ["old"]);
}

#[tokio::test]
async fn limit_is_replaced_and_unknown_verdict_refused() {
    let (_server, agent) = server_and_agent().await;
    for path in ["/v0/webhooks", &agent.inbox("/webhooks")] {
        let webhook = super::create_webhook(&agent, path, json!({"trust": ["suspicious"]})).await;
        let path = format!("{path}/{}", webhook["webhook_id"].as_str().unwrap());
        assert_eq!(agent.patch(&path, json!({"enabled": true})).await.ok()["trust"], json!(["suspicious"]));
        assert_eq!(agent.patch(&path, json!({"trust": "known"})).await.ok()["trust"], json!(["known"]));
        assert_eq!(agent.get(&path).await.ok()["trust"], json!(["known"]));
        assert_eq!(agent.patch(&path, json!({"trust": []})).await.ok().get("trust"), None);
        let refused = agent.patch(&path, json!({"trust": ["certain"]})).await;
        assert_eq!(refused.require_error(422, "validation_error")["errors"][0]["path"], "trust[0]");
    }
}

#[tokio::test]
async fn suspicious_mail_reaches_a_webhook_that_wants_it() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({"trust": ["suspicious"], "event_types": ["message.received"]})).await;
    agent.send(json!({"to": "bob@weber-bau.example", "subject": "hi", "text": "hello"})).await;
    receive(&server, &agent, &MailBuilder::new("bob@weber-bau.example", &agent.inbox_id, "honest", "Hello.")).await;
    receive(&server, &agent, &MailBuilder::new("bob@weber-bua.example", &agent.inbox_id, "copy", "Pay.")).await;
    assert_eq!(subjects(&receiver.wait_for_requests(1).await), ["copy"]);
}
