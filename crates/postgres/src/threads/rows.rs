//! Rows of `threads`.

use diesel::QueryableByName;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{InboxId, MessageId, Thread};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json};
use crate::schema::threads;
use crate::stored_row::stored_row;
use crate::usage::to_count;

/// Condition that the inbox of a thread is live.
pub(crate) const ITS_INBOX_LIVES: &str = "(SELECT i.deleted_at IS NULL FROM inboxes i
    WHERE i.organization_id = t.organization_id AND i.inbox_id = t.inbox_id)";

stored_row! {
    /// A thread.
    #[derive(QueryableByName)]
    #[diesel(table_name = threads)]
    pub(crate) struct ThreadRow => Thread;

    /// Columns of [`ThreadRow`], of a table named `t`.
    pub(crate) const THREAD = "t";

    organization_id: Uuid => organization_id = organization_id.into(),
    inbox_id: String => inbox_id = InboxId::stored(inbox_id),
    thread_id: Uuid => thread_id = thread_id.into(),
    labels: Vec<String> => labels = labels.into_iter().collect(),
    timestamp: OffsetDateTime => timestamp = timestamp,
    received_timestamp: Option<OffsetDateTime> => received_timestamp = received_timestamp,
    sent_timestamp: Option<OffsetDateTime> => sent_timestamp = sent_timestamp,
    senders: Vec<String> => senders = senders,
    recipients: Vec<String> => recipients = recipients,
    subject: Option<String> => subject = subject,
    preview: Option<String> => preview = preview,
    attachments: StoredJson => attachments = from_json(attachments)?,
    last_message_id: String => last_message_id = MessageId::stored(last_message_id),
    message_count: i64 => message_count = to_count(message_count),
    size: i64 => size = to_count(size),
    hidden_sets: i32 => hidden_sets = hidden_sets,
    trust: Option<StoredJson> => trust = trust.map(from_json).transpose()?,
    assignee: Option<StoredJson> => assignee = assignee.map(from_json).transpose()?,
    created_at: OffsetDateTime => created_at = created_at,
    updated_at: OffsetDateTime => updated_at = updated_at,
}

/// Returns the position of a thread in its list.
pub(super) fn place(thread: &Thread) -> Cursor {
    Cursor { time: thread.timestamp, id: thread.thread_id.0.to_string() }
}
