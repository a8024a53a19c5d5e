//! Storing new messages, with all that they make: one statement a table, however many there are, for receiving is what
//! happens most. None of them needs the answer of another, so they are sent in one go.

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Hidden, MessageId, MessageItem, NewMail, NewMessage};
use inboxd_core::ports::StoreError;
use tokio::join;

use crate::error::{all_done, expect_rows};
use crate::sql::Sql;
use crate::text::{folded, to_json};
use crate::threads::write as threads;
use crate::usage::from_count;
use crate::{events, usage};

/// A message that no segment of the search index knows yet is pending there.
const MESSAGES: &str = "
    WITH stored AS (
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
        RETURNING organization_id, inbox_id, hidden, timestamp, message_id
    )
    INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id) SELECT * FROM stored";

const LABELS: &str = "
    INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::smallint[], $5::timestamptz[], $6::text[])";

const BODIES: &str = "
    INSERT INTO message_bodies (organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers,
        search_text, folded_from, folded_to, folded_subject, raw, authentication, spam, extracted)
    SELECT organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers, search_text,
        folded_from, folded_to::text[], folded_subject, raw, authentication, spam, extracted
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
        $10::text[], $11::text[], $12::text[], $13::bytea[], $14::jsonb[], $15::jsonb[], $16::jsonb[])
        AS new(organization_id, inbox_id, message_id, text, html, extracted_text, extracted_html, headers, search_text,
            folded_from, folded_to, folded_subject, raw, authentication, spam, extracted)";

/// Stores messages with their labels, bodies and raw mail, their threads, events and usage.
pub(super) async fn insert(connection: &AsyncPgConnection, mail: &NewMail) -> Result<(), StoreError> {
    let (messages, labels, bodies, begun, joined, events, usage) = join!(
        messages(connection, &mail.messages),
        labels(connection, &mail.messages),
        bodies(connection, &mail.messages),
        threads::insert(connection, &mail.begun),
        threads::update(connection, &mail.joined),
        events::append::append(connection, &mail.events),
        usage::change(connection, &mail.usage),
    );
    all_done([messages, labels, bodies, begun, joined, events, usage])
}

async fn messages(connection: &AsyncPgConnection, messages: &[NewMessage]) -> Result<(), StoreError> {
    let items = || messages.iter().map(|new| &new.message.item);
    let written = Sql::new(MESSAGES)
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
        .run_among(connection)
        .await?;
    expect_rows(written, messages.len())
}

async fn labels(connection: &AsyncPgConnection, messages: &[NewMessage]) -> Result<(), StoreError> {
    let rows: Vec<(&MessageItem, &str)> = messages
        .iter()
        .flat_map(|new| new.message.item.labels.iter().map(|label| (&new.message.item, label)))
        .collect();
    let written = Sql::new(LABELS)
        .uuids(rows.iter().map(|(item, _)| item.organization_id.0))
        .texts(rows.iter().map(|(item, _)| item.inbox_id.as_str()))
        .texts(rows.iter().map(|(_, label)| *label))
        .smalls(rows.iter().map(|(item, _)| Hidden::of(&item.labels).bits()))
        .times(rows.iter().map(|(item, _)| item.timestamp))
        .texts(rows.iter().map(|(item, _)| item.message_id.as_str()))
        .run_among(connection)
        .await?;
    expect_rows(written, rows.len())
}

async fn bodies(connection: &AsyncPgConnection, messages: &[NewMessage]) -> Result<(), StoreError> {
    let keys = || messages.iter().map(|new| &new.message.item);
    let bodies = || messages.iter().map(|new| &new.message.body);
    let headers = bodies().map(|body| serde_json::to_string(&body.headers)).collect::<Result<Vec<_>, _>>();
    let headers = headers.map_err(|error| StoreError::Failed(error.to_string()))?;
    let folds: Vec<Folds> = keys().map(Folds::of).collect();
    let written = Sql::new(BODIES)
        .uuids(keys().map(|item| item.organization_id.0))
        .texts(keys().map(|item| item.inbox_id.as_str()))
        .texts(keys().map(|item| item.message_id.as_str()))
        .optional_texts(bodies().map(|body| body.text.as_deref()))
        .optional_texts(bodies().map(|body| body.html.as_deref()))
        .optional_texts(bodies().map(|body| body.extracted_text.as_deref()))
        .optional_texts(bodies().map(|body| body.extracted_html.as_deref()))
        .texts(headers.iter().map(String::as_str))
        .texts(messages.iter().map(|new| new.search_text.as_str()))
        .texts(folds.iter().map(|folds| folds.from.as_str()))
        .lists(folds.iter().map(|folds| folds.to.iter().map(String::as_str)))
        .texts(folds.iter().map(|folds| folds.subject.as_str()))
        .octet_strings(messages.iter().map(|new| new.raw.as_slice()))
        .optional_jsons(
            bodies().map(|body| body.authentication.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?,
        )
        .optional_jsons(bodies().map(|body| body.spam.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?)
        .optional_jsons(
            bodies().map(|body| body.extracted.as_ref().map(to_json).transpose()).collect::<Result<_, _>>()?,
        )
        .run_among(connection)
        .await?;
    expect_rows(written, messages.len())
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
