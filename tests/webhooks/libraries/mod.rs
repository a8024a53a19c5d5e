//! Signature checks with the libraries of Standard Webhooks and Svix, in Python and JavaScript.

use std::path::Path;
use std::process::Command;

use inboxd_testkit::{ReceivedRequest, WebhookReceiver};
use serde_json::{Value, json};

use super::delivery::{agent_with_local_webhooks, create_webhook_to};
use super::webhook_path;
use crate::sdk::node::install;
use crate::sdk::venv::{assert_success, programs};
use crate::support::{mail_to, receive};

const REQUIREMENTS: &str = include_str!("requirements.txt");

#[tokio::test]
async fn signature_libraries_accept_only_delivered_requests() {
    let (server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    let webhook = create_webhook_to(&agent, &receiver, json!({"event_types": ["message.received"]})).await;
    receive(&server, &agent, &mail_to(&agent, "first £€𐍈")).await;
    let first = receiver.wait_for_requests(1).await.remove(0);
    let rotated = agent.post(&webhook_path(&webhook, "/rotate-secret"), json!({})).await.ok();
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    let second = receiver.wait_for_requests(2).await.remove(1);
    assert_eq!(second.header("webhook-signature").split(' ').count(), 2, "both secrets sign during the rotation");

    let stranger = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let deliveries = json!([
        delivery(&first, &[&webhook["secret"]], &[&rotated["secret"], &json!(stranger)]),
        delivery(&second, &[&webhook["secret"], &rotated["secret"]], &[&json!(stranger)]),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deliveries.json");
    std::fs::write(&file, deliveries.to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/webhooks/libraries/verify.py");
    run(&programs("webhook-python", REQUIREMENTS).join("python"), script.as_ref(), &file);
    let modules = install("webhook-node", include_str!("package.json"), include_str!("package-lock.json"));
    let script = modules.join("verify.mjs");
    std::fs::write(&script, include_str!("verify.mjs")).unwrap();
    run("node".as_ref(), &script, &file);
}

fn delivery(told: &ReceivedRequest, secrets: &[&Value], strangers: &[&Value]) -> Value {
    let headers: serde_json::Map<String, Value> =
        told.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let body = String::from_utf8(told.body.clone()).unwrap();
    json!({"headers": headers, "body": body, "secrets": secrets, "strangers": strangers})
}

fn run(interpreter: &Path, script: &Path, file: &Path) {
    assert_success(&script.display().to_string(), Command::new(interpreter).arg(script).arg(file).output());
}
