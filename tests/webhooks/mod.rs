//! `/v0/webhooks`, and the same below an inbox and a pod.

mod create;
mod deletion;
mod delivery;
mod failures;
mod headers;
mod libraries;
mod limit;
mod reach;
mod replay;
mod secret;
mod update;

use inboxd_testkit::Http;
use serde_json::{Value, json};

/// Where webhooks lead that nothing is to come of: a name that never resolves (RFC 6761, section 6.4).
pub(crate) const NOWHERE: &str = "https://hooks.example.invalid/inboxd";

/// Makes a webhook that leads nowhere, with these fields besides.
pub(crate) async fn made(agent: &Http, path: &str, mut fields: Value) -> Value {
    fields["url"] = json!(NOWHERE);
    agent.post(path, fields).await.ok()
}

/// The path of a webhook.
pub(crate) fn path(webhook: &Value, rest: &str) -> String {
    format!("/v0/webhooks/{}{rest}", webhook["webhook_id"].as_str().unwrap())
}

/// The webhook as it is shown later: without its secret.
fn later(webhook: &Value) -> Value {
    let mut later = webhook.clone();
    later["secret"] = json!("");
    later
}
