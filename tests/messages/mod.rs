//! `/v0/inboxes/{inbox_id}/messages`: reading, labelling and deleting.

mod again;
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
mod search;
mod verdicts;

use inboxd_testkit::{Persona, Server};
use serde_json::{Value, json};

/// The labels that keep mail out of lists and searches, in the order of their bits.
pub(crate) const HIDING: [&str; 4] = ["spam", "blocked", "unauthenticated", "trash"];

/// Gives a message that is alone in its thread one of these labels. Only `trash` is a caller's to set; the others are
/// written as if the mail had been judged when it came.
pub(crate) async fn hide(server: &Server, agent: &Persona, message_id: &Value, label: &str) {
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
