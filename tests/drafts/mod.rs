//! `/v0/drafts` and `/v0/inboxes/{inbox_id}/drafts`: mail that is written and not yet sent.

mod attachments;
mod create;
mod list;
mod permissions;
mod reply;
mod schedule;
mod send;
mod update;

use inboxd_testkit::{Persona, Server};
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

/// A `send_at` that no test reaches, however busy the machine is: [`come_due`] brings it about.
pub(crate) fn later() -> String {
    in_seconds(3600)
}

/// Makes every scheduled draft due, and returns the time that it is scheduled for now.
pub(crate) async fn come_due(server: &Server) -> String {
    let now = in_seconds(0);
    let text = format!("UPDATE drafts SET send_at = '{now}', due_at = '{now}' WHERE due_at IS NOT NULL");
    server.database().execute(&text).await;
    now
}
