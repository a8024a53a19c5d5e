//! New messages, however many there are.

use diesel::sql_types::{Array, Text};
use inboxd_core::model::{Hidden, MessageId, MessageItem, NewMessage};
use inboxd_core::ports::StoreError;

use crate::given::{Column, names, rows};
use crate::parts::Part;
use crate::sql::Sql;
use crate::text::{folded, to_json};
use crate::usage::from_count;

/// What is written of a message, in the order in which it is bound.
const MESSAGE: &[Column] = &[
    ("organization_id", "uuid"),
    ("inbox_id", "text"),
    ("message_id", "text"),
    ("thread_id", "uuid"),
    ("labels", "text[]"),
    ("hidden", "smallint"),
    ("timestamp", "timestamptz"),
    ("from_", "text"),
    ("to_", "text[]"),
    ("cc", "text[]"),
    ("bcc", "text[]"),
    ("reply_to", "text[]"),
    ("subject", "text"),
    ("preview", "text"),
    ("attachments", "jsonb"),
    ("in_reply_to", "text"),
    ("references_", "text[]"),
    ("size", "bigint"),
    ("sent_by", "jsonb"),
    ("header_message_id", "text"),
    ("digest", "bytea"),
    ("created_at", "timestamptz"),
    ("updated_at", "timestamptz"),
    ("delivered_to", "text"),
    ("tag", "text"),
];

/// What is written of its body.
const BODY: &[Column] = &[
    ("organization_id", "uuid"),
    ("inbox_id", "text"),
    ("message_id", "text"),
    ("text", "text"),
    ("html", "text"),
    ("extracted_text", "text"),
    ("extracted_html", "text"),
    ("headers", "text"),
    ("search_text", "text"),
    ("folded_from", "text"),
    ("folded_to", "text[]"),
    ("folded_subject", "text"),
    ("raw", "bytea"),
    ("authentication", "jsonb"),
    ("spam", "jsonb"),
    ("extracted", "jsonb"),
];

/// New messages with their labels. One that no segment of the search index knows yet is pending there.
pub(crate) fn messages() -> Part {
    let (columns, given) = (names(MESSAGE), rows(MESSAGE));
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
    Part { tables, counted: "new_messages" }
}

/// Their bodies, and their raw mail.
pub(crate) fn bodies() -> Part {
    let tables = format!("new_bodies AS (INSERT INTO message_bodies ({}) {} RETURNING 1)", names(BODY), rows(BODY));
    Part { tables, counted: "new_bodies" }
}

/// Binds what [`messages`] writes.
pub(crate) fn bind_messages<'a>(statement: Sql<'a>, messages: &'a [NewMessage]) -> Result<Sql<'a>, StoreError> {
    let items = || messages.iter().map(|new| &new.message.item);
    Ok(statement
        .uuids(items().map(|item| item.organization_id.0))
        .texts(items().map(|item| item.inbox_id.as_str()))
        .texts(items().map(|item| item.message_id.as_str()))
        .uuids(items().map(|item| item.thread_id.0))
        .lists(items().map(|item| item.labels.iter()))
        .smalls(items().map(|item| Hidden::of(&item.labels).bits()))
        .times(items().map(|item| item.timestamp))
        .texts(items().map(|item| item.from.as_str()))
        .lists(items().map(|item| item.to.iter().map(String::as_str)))
        .lists(items().map(|item| item.cc.iter().map(String::as_str)))
        .lists(items().map(|item| item.bcc.iter().map(String::as_str)))
        .lists(items().map(|item| item.reply_to.iter().map(String::as_str)))
        .optional_texts(items().map(|item| item.subject.as_deref()))
        .optional_texts(items().map(|item| item.preview.as_deref()))
        .jsons(items().map(|item| to_json(&item.attachments)).collect::<Result<_, _>>()?)
        .optional_texts(items().map(|item| item.in_reply_to.as_ref().map(MessageId::as_str)))
        .lists(items().map(|item| item.references.iter().map(MessageId::as_str)))
        .bigs(items().map(|item| from_count(item.size)))
        .optional_jsons(items().map(|item| item.sent_by.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?)
        .optional_texts(messages.iter().map(|new| new.header_message_id.as_ref().map(MessageId::as_str)))
        .optional_octet_strings(messages.iter().map(|new| new.digest.as_ref().map(<[u8; 32]>::as_slice)))
        .times(items().map(|item| item.created_at))
        .times(items().map(|item| item.updated_at))
        .optional_texts(items().map(|item| item.delivered_to.as_deref()))
        .optional_texts(items().map(|item| item.tag.as_deref())))
}

/// Binds what [`bodies`] writes.
pub(crate) fn bind_bodies<'a>(statement: Sql<'a>, messages: &'a [NewMessage]) -> Result<Sql<'a>, StoreError> {
    let keys = || messages.iter().map(|new| &new.message.item);
    let bodies = || messages.iter().map(|new| &new.message.body);
    let headers = bodies().map(|body| serde_json::to_string(&body.headers)).collect::<Result<Vec<_>, _>>();
    let headers = headers.map_err(|error| StoreError::Failed(error.to_string()))?;
    let folds: Vec<Folds> = keys().map(Folds::of).collect();
    Ok(statement
        .uuids(keys().map(|item| item.organization_id.0))
        .texts(keys().map(|item| item.inbox_id.as_str()))
        .texts(keys().map(|item| item.message_id.as_str()))
        .optional_texts(bodies().map(|body| body.text.as_deref()))
        .optional_texts(bodies().map(|body| body.html.as_deref()))
        .optional_texts(bodies().map(|body| body.extracted_text.as_deref()))
        .optional_texts(bodies().map(|body| body.extracted_html.as_deref()))
        .bind::<Array<Text>, _>(headers)
        .texts(messages.iter().map(|new| new.search_text.as_str()))
        .bind::<Array<Text>, _>(folds.iter().map(|folds| folds.from.clone()).collect::<Vec<_>>())
        .lists(folds.iter().map(|folds| folds.to.iter().map(String::as_str)))
        .bind::<Array<Text>, _>(folds.into_iter().map(|folds| folds.subject).collect::<Vec<_>>())
        .octet_strings(messages.iter().map(|new| new.raw.as_slice()))
        .optional_jsons(
            bodies().map(|body| body.authentication.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?,
        )
        .optional_jsons(bodies().map(|body| body.spam.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?)
        .optional_jsons(
            bodies().map(|body| body.extracted.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?,
        ))
}

/// What filters look through.
struct Folds {
    from: String,
    to: Vec<String>,
    subject: String,
}

impl Folds {
    fn of(item: &MessageItem) -> Self {
        Self {
            from: folded(&item.from),
            to: item.to.iter().chain(&item.cc).chain(&item.bcc).map(|recipient| folded(recipient)).collect(),
            subject: item.subject.as_deref().map(folded).unwrap_or_default(),
        }
    }
}
