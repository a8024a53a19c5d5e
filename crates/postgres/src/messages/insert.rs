//! Insertion of messages.

use inboxd_core::model::{HidingLabels, MessageId, MessageItem, NewMessage};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::attachment_text::may_have_text;
use time::OffsetDateTime;

use crate::array_params::Values::{
    BigInt, Bytes, ComputedText, Json, OptionalBytes, OptionalJson, OptionalText, OptionalTime, SerializedText,
    SmallInt, Text, Texts, Time, Uuid,
};
use crate::array_params::{Column, names, text_list, unnest_rows};
use crate::cte::CteFragment;
use crate::json::to_json;
use crate::sql::Sql;
use crate::text::folded;
use crate::usage::from_count;

/// Columns of a new row of `messages`.
const MESSAGE: &[Column<NewMessage>] = &[
    ("organization_id", Uuid(|new| new.message.item.organization_id.0)),
    ("inbox_id", Text(|new| new.message.item.inbox_id.as_str())),
    ("message_id", Text(|new| new.message.item.message_id.as_str())),
    ("thread_id", Uuid(|new| new.message.item.thread_id.0)),
    ("labels", Texts(|new| text_list(new.message.item.labels.iter()))),
    ("hidden", SmallInt(|new| HidingLabels::of(&new.message.item.labels).bits())),
    ("timestamp", Time(|new| new.message.item.timestamp)),
    ("from_", Text(|new| &new.message.item.from)),
    ("to_", Texts(|new| text_list(&new.message.item.to))),
    ("cc", Texts(|new| text_list(&new.message.item.cc))),
    ("bcc", Texts(|new| text_list(&new.message.item.bcc))),
    ("reply_to", Texts(|new| text_list(&new.message.item.reply_to))),
    ("subject", OptionalText(|new| new.message.item.subject.as_deref())),
    ("preview", OptionalText(|new| new.message.item.preview.as_deref())),
    ("attachments", Json(|new| to_json(&new.message.item.attachments))),
    ("in_reply_to", OptionalText(|new| new.message.item.in_reply_to.as_ref().map(MessageId::as_str))),
    ("references_", Texts(|new| text_list(new.message.item.references.iter().map(MessageId::as_str)))),
    ("size", BigInt(|new| from_count(new.message.item.size))),
    ("sent_by", OptionalJson(|new| new.message.item.sent_by.as_ref().map(to_json).transpose())),
    ("header_message_id", OptionalText(|new| new.header_message_id.as_ref().map(MessageId::as_str))),
    ("digest", OptionalBytes(|new| new.digest.as_ref().map(<[u8; 32]>::as_slice))),
    ("created_at", Time(|new| new.message.item.created_at)),
    ("updated_at", Time(|new| new.message.item.updated_at)),
    ("delivered_to", OptionalText(|new| new.message.item.delivered_to.as_deref())),
    ("tag", OptionalText(|new| new.message.item.tag.as_deref())),
    ("trust", OptionalJson(|new| new.message.item.trust.as_ref().map(to_json).transpose())),
    ("calendar_event_id", OptionalText(|new| new.message.item.calendar_event_id.as_deref())),
];

/// Columns of a new row of `message_bodies`.
const BODY: &[Column<NewMessage>] = &[
    ("organization_id", Uuid(|new| new.message.item.organization_id.0)),
    ("inbox_id", Text(|new| new.message.item.inbox_id.as_str())),
    ("message_id", Text(|new| new.message.item.message_id.as_str())),
    ("text", OptionalText(|new| new.message.body.text.as_deref())),
    ("html", OptionalText(|new| new.message.body.html.as_deref())),
    ("extracted_text", OptionalText(|new| new.message.body.extracted_text.as_deref())),
    ("extracted_html", OptionalText(|new| new.message.body.extracted_html.as_deref())),
    ("headers", SerializedText(headers)),
    ("search_text", Text(|new| &new.search_text)),
    ("folded_from", ComputedText(|new| folded(&new.message.item.from))),
    ("folded_to", Texts(|new| text_list(recipients(&new.message.item).map(|recipient| folded(recipient))))),
    ("folded_subject", ComputedText(|new| new.message.item.subject.as_deref().map(folded).unwrap_or_default())),
    ("raw", Bytes(|new| &new.raw)),
    ("authentication", OptionalJson(|new| new.message.body.authentication.as_ref().map(to_json).transpose())),
    ("spam", OptionalJson(|new| new.message.body.spam.as_ref().map(to_json).transpose())),
    ("extracted", OptionalJson(|new| new.message.body.extracted.as_ref().map(to_json).transpose())),
    ("attachments_due_at", OptionalTime(attachments_due_at)),
];

fn headers(new: &NewMessage) -> Result<String, StoreError> {
    serde_json::to_string(&new.message.body.headers).map_err(|error| StoreError::Failed(error.to_string()))
}

/// Returns the time from which a worker reads the attachments: at once, if one may have text.
fn attachments_due_at(new: &NewMessage) -> Option<OffsetDateTime> {
    let item = &new.message.item;
    item.attachments.iter().any(may_have_text).then_some(item.timestamp)
}

fn recipients(item: &MessageItem) -> impl Iterator<Item = &String> {
    item.to.iter().chain(&item.cc).chain(&item.bcc)
}

/// Returns the part that inserts messages with their labels, and marks them as pending for the search index.
pub(crate) fn messages() -> CteFragment {
    let (columns, given) = (names(MESSAGE), unnest_rows(MESSAGE));
    let tables = format!(
        "new_messages AS (
            INSERT INTO messages ({columns}) {given}
            RETURNING organization_id, inbox_id, hidden, timestamp, message_id, labels
        ), unindexed AS (
            INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
            SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM new_messages
        ), new_labels AS (
            INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
            SELECT m.organization_id, m.inbox_id, label, m.hidden, m.timestamp, m.message_id
            FROM new_messages m CROSS JOIN LATERAL unnest(m.labels) AS l(label)
        )"
    );
    CteFragment { tables, counted: "new_messages" }
}

/// Returns the part that inserts their bodies and raw sources.
pub(crate) fn bodies() -> CteFragment {
    let tables =
        format!("new_bodies AS (INSERT INTO message_bodies ({}) {} RETURNING 1)", names(BODY), unnest_rows(BODY));
    CteFragment { tables, counted: "new_bodies" }
}

/// Binds the rows of [`messages`] and of [`bodies`].
pub(crate) fn bind<'a>(statement: Sql<'a>, messages: &'a [NewMessage]) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(MESSAGE, messages)?.bind_rows(BODY, messages)
}
