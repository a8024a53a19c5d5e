//! Conformance of the service to its OpenAPI document.
//!
//! Schemathesis calls every operation with valid and invalid input and compares each response with the document.

mod seeds;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use inboxd_testkit::DnsServer;
use tokio::process::Command;
use tokio::time::timeout;

use crate::billing::stripe::Stripe;
use crate::sdk::venv;

const REQUIREMENTS: &str = include_str!("requirements.txt");

/// A run takes one or two minutes, and much longer on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_mins(30);

/// Operations that cannot succeed with the key of an agent.
const REFUSED: [(&str, &str); 33] = [
    ("DELETE /v0/api-keys/{api_key_id}/policy", "it takes the key of a person"),
    ("DELETE /v0/inboxes/{inbox_id}/policy", "it takes the key of a person"),
    ("DELETE /v0/pods/{pod_id}/policy", "it takes the key of a person"),
    ("DELETE /v0/policy", "it takes the key of a person"),
    ("GET /v0", "it takes a WebSocket client"),
    ("GET /v0/accounts/{account_id}", "no inbox has an account at an app"),
    ("GET /v0/apps/{app_id}", "there are no apps"),
    ("GET /v0/inboxes/{inbox_id}/accounts/{account_id}", "no inbox has an account at an app"),
    ("GET /v0/pods/{pod_id}/accounts/{account_id}", "no inbox has an account at an app"),
    ("GET /v0/providers/{provider_id}", "there are no apps"),
    ("GET /v0/webhooks/polling/{webhook_id}/events", "it takes the token of the subscription"),
    ("PATCH /v0/accounts/{account_id}/update", "no inbox has an account at an app"),
    ("PATCH /v0/inboxes/{inbox_id}/legal-hold", "it takes the key of a person"),
    ("PATCH /v0/legal-hold", "it takes the key of a person"),
    ("POST /v0/agent/human", "the agent's owner address is confirmed"),
    ("POST /v0/agent/sign-in/verify", "it takes a code that was mailed"),
    ("POST /v0/agent/verify", "the agent's owner address is confirmed"),
    ("POST /v0/apps/{app_id}/connect", "there are no apps"),
    ("POST /v0/auth/switch", "it takes the key of a person"),
    ("POST /v0/billing/portal", "nobody has paid yet"),
    ("POST /v0/billing/webhook", "it takes the signature of the payment provider"),
    ("POST /v0/inboxes/{inbox_id}/authorize", "there are no apps"),
    ("POST /v0/inboxes/{inbox_id}/calendar/feed", "it takes the key of a person"),
    ("POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/approve", "it takes the key of a person"),
    ("POST /v0/inboxes/{inbox_id}/drafts/{draft_id}/reject", "it takes the key of a person"),
    (
        "POST /v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/release",
        "it takes a key to which a person granted the permission",
    ),
    ("POST /v0/organizations/labs", "there are no Labs"),
    ("POST /v0/providers/{provider_id}/connect", "there are no apps"),
    ("PUT /v0/api-keys/{api_key_id}/policy", "it takes the key of a person"),
    ("PUT /v0/inboxes/{inbox_id}/policy", "it takes the key of a person"),
    ("PUT /v0/pods/{pod_id}/policy", "it takes the key of a person"),
    ("PUT /v0/policy", "it takes the key of a person"),
    ("PUT /v0/uploads/{token}", "it takes the declared bytes"),
];

#[tokio::test]
async fn responses_conform_to_openapi_document() {
    let (stripe, dns) = (Stripe::start().await, DnsServer::start().await);
    let server = stripe.options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").dns(&dns).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let folder = tempfile::tempdir().unwrap();
    let [seeds, answers] = ["seeds.json", "answers.json"].map(|name| folder.path().join(name));
    std::fs::write(&seeds, seeds::create_seeds(&server, &agent).await.to_string()).unwrap();

    let here = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance"));
    let mut schemathesis = Command::new(venv::programs("schemathesis", REQUIREMENTS).join("schemathesis"));
    schemathesis
        .arg("--config-file")
        .arg(here.join("schemathesis.toml"))
        .args(["run", "--no-color"])
        .arg(format!("{}/openapi.json", server.base_url()))
        .current_dir(folder.path())
        .env("SCHEMATHESIS_HOOKS", here.join("hooks.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONHASHSEED", "0")
        .env("INBOXD_KEY", &agent.key)
        .env("INBOXD_SEEDS", &seeds)
        .env("INBOXD_ANSWERS", &answers)
        .kill_on_drop(true);
    let Ok(output) = timeout(WAIT_TIMEOUT, schemathesis.output()).await else { panic!("schemathesis does not finish") };
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "the service and its document differ:\n{said}");
    println!("{said}");

    let answers: Answers = serde_json::from_slice(&std::fs::read(&answers).unwrap()).unwrap();
    assert_eq!(without_success(&answers), REFUSED.map(|(operation, _)| operation), "{answers:#?}");
}

/// Number of responses by operation and status.
type Answers = BTreeMap<String, BTreeMap<String, u32>>;

/// Returns the operations without any successful call.
fn without_success(answers: &Answers) -> Vec<&str> {
    let granted = |statuses: &BTreeMap<String, u32>| statuses.keys().any(|status| status.starts_with('2'));
    answers.iter().filter(|(_, statuses)| !granted(statuses)).map(|(operation, _)| operation.as_str()).collect()
}
