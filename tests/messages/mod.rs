//! `/v0/inboxes/{inbox_id}/messages`: reading, labels and deletion.

mod attachment_search;
mod attachment_text;
mod attachments;
mod batch_get;
mod batch_update;
mod delete;
mod get;
mod ids;
mod labels;
mod list;
mod paging;
mod raw;
mod redact;
mod repeated_reads;
mod search;
mod verdicts;
mod words;

use inboxd_testkit::{Persona, TestServer};
use serde_json::{Value, json};

/// Hiding labels in the order of their bits.
pub(crate) const HIDING: [&str; 4] = ["spam", "blocked", "unauthenticated", "trash"];

/// Sets a hiding label on the only message of a thread. Callers can set `trash` only; the other labels are written
/// directly to the database.
pub(crate) async fn hide(server: &TestServer, agent: &Persona, message_id: &Value, label: &str) {
    if label == "trash" {
        agent.patch(&agent.message(message_id, ""), json!({"add_labels": [label]})).await.ok();
        return;
    }
    let bit = 1 << HIDING.iter().position(|hiding| *hiding == label).unwrap();
    let id = message_id.as_str().unwrap();
    let judge = format!(
        "UPDATE messages SET labels = labels || '{{{label}}}', hidden = {bit} WHERE message_id = '{id}'; \
         UPDATE message_labels SET hidden = {bit} WHERE message_id = '{id}'; \
         INSERT INTO message_labels SELECT organization_id, inbox_id, '{label}', hidden, timestamp, message_id \
         FROM messages WHERE message_id = '{id}'; \
         INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id) \
         SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM messages WHERE message_id = '{id}'; \
         UPDATE threads SET labels = labels || '{{{label}}}', hidden_sets = 1 << {bit}, visible = false \
         WHERE last_message_id = '{id}'"
    );
    server.database().execute(&judge).await;
}
