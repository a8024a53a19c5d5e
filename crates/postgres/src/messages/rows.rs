//! Rows of `messages` and `message_bodies`.

use diesel::sql_types::{BigInt, Binary, Bool};
use diesel::{Queryable, QueryableByName, Selectable};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{HidingLabels, InboxId, Message, MessageBody, MessageId, MessageItem, Page};
use inboxd_core::ports::{RawSource, StoreError};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::json::{StoredJson, from_json};
use crate::schema::{message_bodies, messages};
use crate::stored_row::stored_row;
use crate::usage::to_count;

/// Expression for the bytes of the columns in [`BODY`], as `bigint`. PostgreSQL knows the length of a stored text
/// without reading it.
pub(crate) const BODY_BYTES: &str = "(octet_length(b.headers)::bigint + coalesce(octet_length(b.text), 0)
    + coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.extracted_text), 0)
    + coalesce(octet_length(b.extracted_html), 0) + coalesce(pg_column_size(b.extracted), 0))";

/// Join condition of `message_bodies`, named `b`, and `messages`, named `m`.
pub(crate) const BODY_OF_MESSAGE: &str =
    "b.organization_id = m.organization_id AND b.inbox_id = m.inbox_id AND b.message_id = m.message_id";

/// Messages, named `m`, with the ids `$3` in the inbox `$2` of organization `$1`.
///
/// Each costs one lookup in the primary key. For `ANY($3)` the planner may scan the whole inbox in the order of ids.
pub(crate) const BY_IDS: &str = "(SELECT DISTINCT unnest($3::text[]) AS message_id) wanted CROSS JOIN LATERAL (
        SELECT * FROM messages
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = wanted.message_id OFFSET 0) m";

/// Bodies, named `b`, of messages named `m`, also by one lookup each.
pub(crate) const BODIES: &str = "CROSS JOIN LATERAL (
        SELECT * FROM message_bodies
        WHERE organization_id = m.organization_id AND inbox_id = m.inbox_id AND message_id = m.message_id OFFSET 0) b";

/// Condition of queries that list the messages of an inbox, named `m`. It is true for every message.
///
/// The index for these lists is partial on this condition, so the planner cannot use it for other queries. Two indexes
/// that begin with the inbox may have equal costs for the planner, but with this one another query would scan the whole
/// inbox.
pub(crate) const WALKED: &str = "m.size >= 0";

/// Condition of queries that list the messages of a thread, for the same reason.
pub(crate) const IN_THREAD: &str = "cardinality(m.references_) >= 0";

/// Condition that the inbox `$2` of organization `$1` is not deleted. Messages of a deleted inbox are invisible.
pub(crate) const INBOX_LIVES: &str = "EXISTS (SELECT FROM inboxes i
    WHERE i.organization_id = $1 AND i.inbox_id = $2 AND i.deleted_at IS NULL)";

stored_row! {
    /// A message without its body.
    #[derive(Queryable, QueryableByName, Selectable)]
    #[diesel(table_name = messages, check_for_backend(diesel::pg::Pg))]
    pub(crate) struct ItemRow => MessageItem;

    /// Columns of [`ItemRow`], of a table named `m`.
    pub(crate) const ITEM = "m";

    organization_id: Uuid => organization_id = organization_id.into(),
    inbox_id: String => inbox_id = InboxId::stored(inbox_id),
    message_id: String => message_id = MessageId::stored(message_id),
    thread_id: Uuid => thread_id = thread_id.into(),
    labels: Vec<String> => labels = labels.into_iter().collect(),
    timestamp: OffsetDateTime => timestamp = timestamp,
    from_: String => from = from_,
    to_: Vec<String> => to = to_,
    cc: Vec<String> => cc = cc,
    bcc: Vec<String> => bcc = bcc,
    reply_to: Vec<String> => reply_to = reply_to,
    subject: Option<String> => subject = subject,
    preview: Option<String> => preview = preview,
    attachments: StoredJson => attachments = from_json(attachments)?,
    in_reply_to: Option<String> => in_reply_to = in_reply_to.map(MessageId::stored),
    references_: Vec<String> => references = references_.into_iter().map(MessageId::stored).collect(),
    size: i64 => size = to_count(size),
    sent_by: Option<StoredJson> => sent_by = sent_by.map(from_json).transpose()?,
    created_at: OffsetDateTime => created_at = created_at,
    updated_at: OffsetDateTime => updated_at = updated_at,
    delivered_to: Option<String> => delivered_to = delivered_to,
    tag: Option<String> => tag = tag,
    trust: Option<StoredJson> => trust = trust.map(from_json).transpose()?,
    release: Option<StoredJson> => release = release.map(from_json).transpose()?,
    redacted_at: Option<OffsetDateTime> => redacted_at = redacted_at,
    calendar_event_id: Option<String> => calendar_event_id = calendar_event_id,
}

stored_row! {
    /// Bodies of a message.
    #[derive(Queryable, QueryableByName, Selectable)]
    #[diesel(table_name = message_bodies, check_for_backend(diesel::pg::Pg))]
    pub(crate) struct BodyRow;

    /// Columns of [`BodyRow`], of a table named `b`.
    pub(crate) const BODY = "b";

    text: Option<String>,
    html: Option<String>,
    extracted_text: Option<String>,
    extracted_html: Option<String>,
    headers: String,
    authentication: Option<StoredJson>,
    spam: Option<StoredJson>,
    extracted: Option<StoredJson>,
}

impl BodyRow {
    fn entity(self) -> Result<MessageBody, StoreError> {
        let headers = serde_json::from_str(&self.headers)
            .map_err(|error| StoreError::Failed(format!("stored header fields cannot be read: {error}")))?;
        Ok(MessageBody {
            text: self.text,
            html: self.html,
            extracted_text: self.extracted_text,
            extracted_html: self.extracted_html,
            headers,
            authentication: self.authentication.map(from_json).transpose()?,
            spam: self.spam.map(from_json).transpose()?,
            extracted: self.extracted.map(from_json).transpose()?,
        })
    }
}

/// A message with its bodies.
#[derive(QueryableByName)]
pub(crate) struct MessageRow {
    #[diesel(embed)]
    pub(super) item: ItemRow,
    #[diesel(embed)]
    pub(super) body: BodyRow,
}

impl MessageRow {
    /// Returns the message of the row.
    pub(crate) fn entity(self) -> Result<Message, StoreError> {
        Ok(Message { item: self.item.entity()?, body: self.body.entity()? })
    }
}

/// A message of a page, with its bodies.
#[derive(QueryableByName)]
pub(crate) struct PagedRow {
    #[diesel(embed)]
    message: MessageRow,
    /// Whether more messages follow.
    #[diesel(sql_type = Bool)]
    more: bool,
}

impl PagedRow {
    /// Returns the page of these rows, which do not include a surplus row.
    pub(crate) fn page(rows: Vec<Self>) -> Result<Page<Message>, StoreError> {
        let more = rows.last().is_some_and(|row| row.more);
        let items = rows.into_iter().map(|row| row.message.entity()).collect::<Result<Vec<_>, _>>()?;
        let last = items.last().filter(|_| more);
        Ok(Page { next: last.map(|message| place(&message.item)), items })
    }
}

/// Size of the bodies of a message.
#[derive(QueryableByName)]
pub(crate) struct SizeRow {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

impl SizeRow {
    /// Returns the number of bytes.
    pub(crate) fn bytes(&self) -> u64 {
        to_count(self.bytes)
    }
}

/// A message with its raw source.
#[derive(QueryableByName)]
pub(crate) struct RawRow {
    #[diesel(embed)]
    item: ItemRow,
    #[diesel(sql_type = Binary)]
    raw: Vec<u8>,
}

impl RawRow {
    /// Returns the raw source of the row.
    pub(crate) fn entity(self) -> Result<RawSource, StoreError> {
        Ok(RawSource { item: self.item.entity()?, raw: self.raw })
    }
}

/// Returns the cursor of a message in its list.
pub(crate) fn place(item: &MessageItem) -> Cursor {
    Cursor { time: item.timestamp, id: item.message_id.as_str().to_owned() }
}

/// Returns the hiding labels that a query excludes, as bits. A message with one of them is not shown.
pub(crate) fn unseen(included: HidingLabels) -> i16 {
    HidingLabels::ALL.bits() & !included.bits()
}
