//! Storing a new message: one statement, for receiving is what happens most.

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Hidden, MessageId, NewMessage};
use inboxd_core::ports::StoreError;

use crate::error::expect_rows;
use crate::sql::Sql;
use crate::text::{folded, to_json};
use crate::usage::from_count;

const INSERT: &str = "
    WITH item AS (
        INSERT INTO messages (organization_id, inbox_id, message_id, thread_id, labels, hidden, timestamp, from_, to_, cc,
            bcc, reply_to, subject, preview, attachments, in_reply_to, references_, size, sent_by, header_message_id,
            digest, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
        RETURNING organization_id, inbox_id, hidden, timestamp, message_id
    ), pending AS (
        INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
        SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM item
    ), labels AS (
        INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
        SELECT $1, $2, l.label, $6, $7, $3 FROM unnest($5::text[]) AS l(label)
    )
    INSERT INTO message_bodies (organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers,
        search_text, folded_from, folded_to, folded_subject, raw, authentication, spam, extracted)
    VALUES ($1, $2, $3, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36)";

/// Stores a message with its labels, bodies and raw mail.
pub(super) async fn insert(connection: &mut AsyncPgConnection, new: &NewMessage) -> Result<(), StoreError> {
    let item = &new.message.item;
    let body = &new.message.body;
    let headers = serde_json::to_string(&body.headers).map_err(|error| StoreError::Failed(error.to_string()))?;
    let folded_from = folded(&item.from);
    let folded_to: Vec<String> =
        item.to.iter().chain(&item.cc).chain(&item.bcc).map(|recipient| folded(recipient)).collect();
    let folded_subject = item.subject.as_deref().map(folded).unwrap_or_default();
    let written = Sql::new(INSERT)
        .uuid(item.organization_id.0)
        .text(item.inbox_id.as_str())
        .text(item.message_id.as_str())
        .uuid(item.thread_id.0)
        .texts(item.labels.iter())
        .small(Hidden::of(&item.labels).bits())
        .time(item.timestamp)
        .text(&item.from)
        .texts(item.to.iter().map(String::as_str))
        .texts(item.cc.iter().map(String::as_str))
        .texts(item.bcc.iter().map(String::as_str))
        .texts(item.reply_to.iter().map(String::as_str))
        .optional_text(item.subject.as_deref())
        .optional_text(item.preview.as_deref())
        .json(to_json(&item.attachments)?)
        .optional_text(item.in_reply_to.as_ref().map(MessageId::as_str))
        .texts(item.references.iter().map(MessageId::as_str))
        .big(from_count(item.size))
        .optional_json(item.sent_by.as_ref().map(to_json).transpose()?)
        .optional_text(new.header_message_id.as_ref().map(MessageId::as_str))
        .optional_octets(new.digest.as_ref().map(<[u8; 32]>::as_slice))
        .time(item.created_at)
        .time(item.updated_at)
        .optional_text(body.text.as_deref())
        .optional_text(body.html.as_deref())
        .optional_text(body.extracted_text.as_deref())
        .optional_text(body.extracted_html.as_deref())
        .text(&headers)
        .text(&new.search_text)
        .text(&folded_from)
        .texts(folded_to.iter().map(String::as_str))
        .text(&folded_subject)
        .octets(&new.raw)
        .optional_json(body.authentication.as_ref().map(to_json).transpose()?)
        .optional_json(body.spam.as_ref().map(to_json).transpose()?)
        .optional_json(body.extracted.as_ref().map(to_json).transpose()?)
        .run(connection)
        .await?;
    expect_rows(written, 1)
}
