//! Rows of `messages` and `message_bodies`.

use diesel::sql_types::{BigInt, Binary, Bool};
use diesel::{Queryable, QueryableByName, Selectable};
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{HidingLabels, InboxId, Message, MessageBody, MessageId, MessageItem, Page};
use inboxd_core::ports::StoreError;
use time::OffsetDateTime;
use uuid::Uuid;

use super::body::{BodyFields, decompressed_bytes, raw_of, run_codec};
use crate::json::{StoredJson, from_json};
use crate::schema::{message_bodies, messages};
use crate::stored_row::stored_row;
use crate::usage::to_count;

/// Join condition of `message_bodies`, named `b`, and `messages`, named `m`.
pub(crate) const BODY_OF_MESSAGE: &str =
    "b.organization_id = m.organization_id AND b.inbox_id = m.inbox_id AND b.message_id = m.message_id";

/// Messages, named `m`, with the ids `$3` in the inbox `$2` of organization `$1`.
///
/// The rows of `wanted` have the whole primary key, so each costs one lookup. For `ANY($3)` the planner may scan the whole
/// inbox in the order of ids.
pub(crate) const BY_IDS: &str = "(SELECT DISTINCT $1::uuid AS organization_id, $2::text AS inbox_id,
            unnest($3::text[]) AS message_id) wanted
        JOIN messages m USING (organization_id, inbox_id, message_id)";

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

impl ItemRow {
    /// Returns the organization and the message, for the log.
    pub(crate) fn ids(&self) -> (Uuid, String) {
        (self.organization_id, self.message_id.clone())
    }
}

stored_row! {
    /// Results of the checks of a message.
    #[derive(Queryable, QueryableByName, Selectable)]
    #[diesel(table_name = message_bodies, check_for_backend(diesel::pg::Pg))]
    pub(crate) struct FindingsRow;

    /// Columns of [`FindingsRow`], of a table named `b`.
    pub(crate) const FINDINGS = "b";

    authentication: Option<StoredJson>,
    spam: Option<StoredJson>,
    extracted: Option<StoredJson>,
}

impl FindingsRow {
    /// Returns the body of a message with these texts and header fields.
    pub(crate) fn body(self, texts: MessageBody) -> Result<MessageBody, StoreError> {
        Ok(MessageBody {
            authentication: self.authentication.map(from_json).transpose()?,
            spam: self.spam.map(from_json).transpose()?,
            extracted: self.extracted.map(from_json).transpose()?,
            ..texts
        })
    }
}

/// A message with the frame of its bodies.
#[derive(QueryableByName)]
pub(crate) struct MessageRow {
    #[diesel(embed)]
    pub(super) item: ItemRow,
    #[diesel(embed)]
    pub(super) findings: FindingsRow,
    #[diesel(sql_type = Binary)]
    pub(super) body: Vec<u8>,
}

impl MessageRow {
    /// Returns the messages of rows.
    pub(crate) async fn entities(rows: Vec<Self>) -> Result<Vec<Message>, StoreError> {
        let bytes = rows.iter().map(|row| decompressed_bytes(&row.body)).sum();
        run_codec(bytes, move || rows.into_iter().map(Self::entity).collect()).await
    }

    fn entity(self) -> Result<Message, StoreError> {
        let texts = BodyFields::of(self.body)?.body()?;
        Ok(Message { item: self.item.entity()?, body: self.findings.body(texts)? })
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
    pub(crate) async fn page(rows: Vec<Self>) -> Result<Page<Message>, StoreError> {
        let more = rows.last().is_some_and(|row| row.more);
        let items = MessageRow::entities(rows.into_iter().map(|row| row.message).collect()).await?;
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

/// Returns the raw mail of a frame.
pub(crate) async fn read_raw(frame: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    run_codec(decompressed_bytes(&frame), move || raw_of(frame)).await
}

/// Returns the cursor of a message in its list.
pub(crate) fn place(item: &MessageItem) -> Cursor {
    Cursor { time: item.timestamp, id: item.message_id.as_str().to_owned() }
}

/// Returns the hiding labels that a query excludes, as bits. A message with one of them is not shown.
pub(crate) fn unseen(included: HidingLabels) -> i16 {
    HidingLabels::ALL.bits() & !included.bits()
}
