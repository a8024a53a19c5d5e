//! New messages, however many there are.

use std::borrow::Cow;

use diesel::sql_types::{Array, Text};
use inboxd_core::model::{Hidden, MessageId, MessageItem, NewMessage};
use inboxd_core::ports::StoreError;

use crate::parts::Part;
use crate::sql::Sql;
use crate::text::{folded, to_json};
use crate::usage::from_count;

/// New messages with their labels. One that no segment of the search index knows yet is pending there.
pub(crate) const MESSAGES: Part = Part {
    tables: Cow::Borrowed("new_messages AS (
        INSERT INTO messages (organization_id, inbox_id, message_id, thread_id, labels, hidden, timestamp, from_, to_, cc, bcc,
            reply_to, subject, preview, attachments, in_reply_to, references_, size, sent_by, header_message_id, digest,
            created_at, updated_at)
        SELECT organization_id, inbox_id, message_id, thread_id, labels::text[], hidden, timestamp, from_, to_::text[],
            cc::text[], bcc::text[], reply_to::text[], subject, preview, attachments, in_reply_to, references_::text[], size,
            sent_by, header_message_id, digest, created_at, updated_at
        FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::smallint[], $7::timestamptz[], $8::text[],
            $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::jsonb[], $16::text[],
            $17::text[], $18::bigint[], $19::jsonb[], $20::text[], $21::bytea[], $22::timestamptz[], $23::timestamptz[])
            AS new(organization_id, inbox_id, message_id, thread_id, labels, hidden, timestamp, from_, to_, cc, bcc, reply_to,
                subject, preview, attachments, in_reply_to, references_, size, sent_by, header_message_id, digest, created_at,
                updated_at)
        RETURNING organization_id, inbox_id, hidden, timestamp, message_id, labels
    ), unindexed AS (
        INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
        SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM new_messages
    ), new_labels AS (
        INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
        SELECT m.organization_id, m.inbox_id, label, m.hidden, m.timestamp, m.message_id
        FROM new_messages m CROSS JOIN LATERAL unnest(m.labels) AS l(label)
    )"),
    counted: "new_messages",
};

/// Their bodies, and their raw mail.
pub(crate) const BODIES: Part = Part {
    tables: Cow::Borrowed("new_bodies AS (
        INSERT INTO message_bodies (organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers,
            search_text, folded_from, folded_to, folded_subject, raw, authentication, spam, extracted)
        SELECT organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers, search_text,
            folded_from, folded_to::text[], folded_subject, raw, authentication, spam, extracted
        FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::text[], $12::text[], $13::bytea[], $14::jsonb[], $15::jsonb[], $16::jsonb[])
            AS new(organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers, search_text,
                folded_from, folded_to, folded_subject, raw, authentication, spam, extracted)
        RETURNING 1
    )"),
    counted: "new_bodies",
};

/// Binds what [`MESSAGES`] writes.
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
        .times(items().map(|item| item.updated_at)))
}

/// Binds what [`BODIES`] writes.
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
