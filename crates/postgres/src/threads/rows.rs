//! Rows of `threads`.

use diesel::QueryableByName;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{InboxId, MessageId, Thread};
use inboxd_core::ports::StoreError;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::schema::threads;
use crate::text::from_json;
use crate::usage::to_count;

/// Columns of [`ThreadRow`], of a table named `t`.
pub(crate) const THREAD: &str =
    "t.organization_id, t.inbox_id, t.thread_id, t.labels, t.timestamp, t.received_timestamp,
    t.sent_timestamp, t.senders, t.recipients, t.subject, t.preview, t.attachments, t.last_message_id, t.message_count,
    t.size, t.hidden_sets, t.assignee, t.created_at, t.updated_at";

/// Condition that the inbox of a thread is live. `OFFSET 0` prevents a plan that starts with the inboxes.
pub(crate) const ITS_INBOX_LIVES: &str = "EXISTS (SELECT FROM inboxes i
    WHERE i.organization_id = t.organization_id AND i.inbox_id = t.inbox_id AND i.deleted_at IS NULL OFFSET 0)";

/// A thread.
#[derive(QueryableByName)]
#[diesel(table_name = threads)]
pub(crate) struct ThreadRow {
    organization_id: Uuid,
    inbox_id: String,
    thread_id: Uuid,
    labels: Vec<String>,
    timestamp: OffsetDateTime,
    received_timestamp: Option<OffsetDateTime>,
    sent_timestamp: Option<OffsetDateTime>,
    senders: Vec<String>,
    recipients: Vec<String>,
    subject: Option<String>,
    preview: Option<String>,
    attachments: Value,
    last_message_id: String,
    message_count: i64,
    size: i64,
    hidden_sets: i32,
    assignee: Option<Value>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl ThreadRow {
    /// Returns the thread of the row.
    pub(crate) fn entity(self) -> Result<Thread, StoreError> {
        Ok(Thread {
            organization_id: self.organization_id.into(),
            inbox_id: InboxId::stored(self.inbox_id),
            thread_id: self.thread_id.into(),
            labels: self.labels.into_iter().collect(),
            timestamp: self.timestamp,
            received_timestamp: self.received_timestamp,
            sent_timestamp: self.sent_timestamp,
            senders: self.senders,
            recipients: self.recipients,
            subject: self.subject,
            preview: self.preview,
            attachments: from_json(self.attachments)?,
            last_message_id: MessageId::stored(self.last_message_id),
            message_count: to_count(self.message_count),
            size: to_count(self.size),
            hidden_sets: self.hidden_sets,
            assignee: self.assignee.map(from_json).transpose()?,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Returns the position of a thread in its list.
pub(super) fn place(thread: &Thread) -> Cursor {
    Cursor { time: thread.timestamp, id: thread.thread_id.0.to_string() }
}
