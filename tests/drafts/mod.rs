//! `/v0/drafts` and `/v0/inboxes/{inbox_id}/drafts`: mail that is written and not yet sent.

mod attachments;
mod create;
mod list;
mod permissions;
mod reply;
mod schedule;
mod send;
mod update;

use inboxd_testkit::Persona;
use serde_json::Value;

/// The path of a draft of the first inbox of an agent.
fn path(agent: &Persona, draft: &Value, rest: &str) -> String {
    agent.inbox(&format!("/drafts/{}{rest}", draft["draft_id"].as_str().unwrap()))
}

/// Writes a draft in the first inbox of an agent.
pub(crate) async fn write(agent: &Persona, body: Value) -> Value {
    agent.post(&agent.inbox("/drafts"), body).await.ok()
}

/// A time that many seconds from now, as the server's clock sees it.
fn in_seconds(seconds: i64) -> String {
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("{seconds} seconds"), "+%Y-%m-%dT%H:%M:%S.%3NZ"])
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
}
