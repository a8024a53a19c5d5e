//! `/v0/webhooks`, also below an inbox and a pod.

mod create;
mod deletion;
pub(crate) mod delivery;
mod failures;
mod headers;
mod libraries;
mod limit;
mod polling;
mod replay;
mod scope;
mod secret;
mod traceparent;
mod trust;
mod update;

use inboxd_testkit::HttpClient;
use serde_json::{Value, json};

/// URL of webhooks without deliveries: a name that never resolves (RFC 6761, section 6.4).
pub(crate) const NOWHERE: &str = "https://hooks.example.invalid/inboxd";

/// Creates a webhook to an unresolvable URL with these additional fields.
pub(crate) async fn create_webhook(agent: &HttpClient, path: &str, mut fields: Value) -> Value {
    fields["url"] = json!(NOWHERE);
    agent.post(path, fields).await.ok()
}

/// Returns the path of a webhook.
pub(crate) fn webhook_path(webhook: &Value, rest: &str) -> String {
    format!("/v0/webhooks/{}{rest}", webhook["webhook_id"].as_str().unwrap())
}

/// Returns the webhook as shown after its creation: without its secret.
fn without_secret(webhook: &Value) -> Value {
    let mut later = webhook.clone();
    later["secret"] = json!("");
    later
}
