//! `/v0/drafts` and `/v0/inboxes/{inbox_id}/drafts`.

mod attachments;
mod create;
mod list;
mod permissions;
mod reply;
mod schedule;
mod send;
mod update;

use inboxd_testkit::{Persona, TestServer};
use serde_json::Value;

/// Returns the path of a draft of the first inbox of an agent.
fn draft_path(agent: &Persona, draft: &Value, rest: &str) -> String {
    agent.inbox(&format!("/drafts/{}{rest}", draft["draft_id"].as_str().unwrap()))
}

/// Creates a draft in the first inbox of an agent.
pub(crate) async fn create_draft(agent: &Persona, body: Value) -> Value {
    agent.post(&agent.inbox("/drafts"), body).await.ok()
}

/// Returns a time that many seconds from now by the clock of the server.
fn in_seconds(seconds: i64) -> String {
    let output = std::process::Command::new("date")
        .args(["-u", "-d", &format!("{seconds} seconds"), "+%Y-%m-%dT%H:%M:%S.%3NZ"])
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
}

/// Returns a `send_at` that no test reaches, even on a busy machine; [`come_due`] makes such drafts due.
pub(crate) fn far_future() -> String {
    in_seconds(3600)
}

/// Makes every scheduled draft due and returns its new time.
pub(crate) async fn make_due(server: &TestServer) -> String {
    let now = in_seconds(0);
    let text = format!("UPDATE drafts SET send_at = '{now}', due_at = '{now}' WHERE due_at IS NOT NULL");
    server.database().execute(&text).await;
    now
}
