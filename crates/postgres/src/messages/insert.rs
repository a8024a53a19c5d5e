//! Insertion of messages.

use inboxd_core::model::{HidingLabels, MessageId, MessageItem, NewMessage};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::attachment_text::may_have_text;
use time::OffsetDateTime;

use super::body::NewBody;
use crate::array_params::Values::{
    BigInt, Bytes, ComputedText, Json, OptionalBytes, OptionalJson, OptionalText, OptionalTime, OptionalUuid, SmallInt,
    Text, Texts, Time, Uuid,
};
use crate::array_params::{Column, names, text_list, unnest_joined_rows, unnest_rows};
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

/// Columns of a new row of `message_bodies`. [`ENCODED`] follows.
const BODY: &[Column<NewMessage>] = &[
    ("organization_id", Uuid(|new| new.message.item.organization_id.0)),
    ("inbox_id", Text(|new| new.message.item.inbox_id.as_str())),
    ("message_id", Text(|new| new.message.item.message_id.as_str())),
    ("search_text", Text(|new| &new.search_text)),
    ("folded_from", ComputedText(|new| folded(&new.message.item.from))),
    ("folded_to", Texts(|new| text_list(recipients(&new.message.item).map(|recipient| folded(recipient))))),
    ("folded_subject", ComputedText(|new| new.message.item.subject.as_deref().map(folded).unwrap_or_default())),
    ("attachments_due_at", OptionalTime(attachments_due_at)),
    ("authentication", OptionalJson(|new| new.message.body.authentication.as_ref().map(to_json).transpose())),
    ("spam", OptionalJson(|new| new.message.body.spam.as_ref().map(to_json).transpose())),
    ("blob_id", OptionalUuid(|new| new.raw_blob.as_ref().map(|blob| blob.blob_id))),
];

/// Columns of a new row of `message_bodies` that are encoded before the statement: the bodies with the raw source, and
/// what was extracted.
const ENCODED: &[Column<NewBody>] = &[
    ("body", Bytes(|new| &new.stored.body)),
    ("large_raw", OptionalBytes(|new| new.stored.large_raw.as_deref())),
    ("body_bytes", BigInt(|new| new.stored.body_bytes)),
    ("extracted", OptionalJson(|new| Ok(new.extracted.clone()))),
];

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
    let (columns, given) = (format!("{}, {}", names(BODY), names(ENCODED)), unnest_joined_rows(BODY, ENCODED));
    let tables = format!("new_bodies AS (INSERT INTO message_bodies ({columns}) {given} RETURNING 1)");
    CteFragment { tables, counted: "new_bodies" }
}

/// Binds the rows of [`messages`] and of [`bodies`], with the encoded body of each message.
pub(crate) fn bind<'a>(
    statement: Sql<'a>,
    messages: &'a [NewMessage],
    bodies: &'a [NewBody],
) -> Result<Sql<'a>, StoreError> {
    statement.bind_rows(MESSAGE, messages)?.bind_rows(BODY, messages)?.bind_rows(ENCODED, bodies)
}
