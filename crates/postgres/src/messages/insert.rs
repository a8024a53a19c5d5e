//! Storing new messages, with all that they make: one statement, however many there are, for receiving is what happens most.

use std::borrow::Cow;
use std::sync::LazyLock;

use diesel::QueryableByName;
use diesel::sql_types::{Array, Bool, Text};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Hidden, MessageId, MessageItem, NewMail, NewMessage};
use inboxd_core::ports::{Sequenced, StoreError};

use crate::events::append;
use crate::feed::sequence::{SequencedRow, sequenced};
use crate::outgoing::queue::{self, QUEUE};
use crate::parts::{COMPLETE, Part, Whole};
use crate::sql::Sql;
use crate::text::{folded, to_json};
use crate::threads::write as threads;
use crate::usage::{self, SENDS, USAGE, from_count};

/// A message that no segment of the search index knows yet is pending there.
const MESSAGES: Part = Part {
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

const BODIES: Part = Part {
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

/// How long a transaction stands still at most between its last statement and its end, which are sent together.
const LONGEST: &str = "1s";

/// What all messages write first. [`USAGE`] comes last, whose rows many may want.
fn first() -> Vec<Part> {
    vec![MESSAGES, BODIES, threads::begun(), append::in_place()]
}

/// One statement of these parts, the last of its transaction: it says whether it has written as many rows as it was to, for
/// [`END`](crate::parts::END), and answers which events have which places. Should the end not come, the transaction does not
/// last: until then nobody else gives places.
///
/// The rows are counted first, so that what is waited for, the rows of usage, is had before the heads of feeds, which are
/// read with the places.
fn last(parts: &[Vec<Part>]) -> String {
    let Whole { tables, counts, values } = Whole::of(&parts.concat());
    let expected = values + 1;
    format!(
        "WITH {tables}
        SELECT written.*, p.organization_id, false AS is_more, p.sequenced_at, p.position, p.event_id, p.created_at,
            EXISTS (SELECT FROM for_webhooks w WHERE w.organization_id = p.organization_id) AS has_deliveries
        FROM (SELECT set_config('{COMPLETE}', ({counts} = ${expected}::bigint[])::integer::text, true) = '1' AS is_complete,
            set_config('idle_in_transaction_session_timeout', '{LONGEST}', true) AS longest) written
            LEFT JOIN placed p ON true
        ORDER BY p.organization_id, p.position"
    )
}

/// Messages that begin their threads.
static BEGIN: LazyLock<String> = LazyLock::new(|| last(&[first(), vec![USAGE]]));

/// Messages of which some join threads.
static JOIN: LazyLock<String> = LazyLock::new(|| last(&[first(), vec![threads::joined(), USAGE]]));

/// Messages that leave, and begin their threads.
static LEAVE: LazyLock<String> = LazyLock::new(|| last(&[first(), vec![QUEUE, SENDS, USAGE]]));

/// Messages that leave, of which some join threads.
static ANSWER: LazyLock<String> = LazyLock::new(|| last(&[first(), vec![threads::joined(), QUEUE, SENDS, USAGE]]));

/// What is to be stored beside messages that begin threads. Each shape has its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    joins: bool,
    leaves: bool,
}

impl Shape {
    /// The shape of mail.
    pub(crate) fn of(mail: &NewMail) -> Self {
        Self { joins: !mail.joined.is_empty(), leaves: !(mail.queued.is_empty() && mail.sends.is_empty()) }
    }

    /// The text of its statement.
    fn text(self) -> &'static str {
        match (self.leaves, self.joins) {
            (false, false) => &BEGIN,
            (false, true) => &JOIN,
            (true, false) => &LEAVE,
            (true, true) => &ANSWER,
        }
    }
}

/// An answer of the statement: it says in each row whether it is complete.
#[derive(QueryableByName)]
struct WrittenRow {
    #[diesel(sql_type = Bool)]
    is_complete: bool,
    #[diesel(embed)]
    sequenced: SequencedRow,
}

/// Stores mail by the statement of its shape: messages with their labels, bodies and raw mail, their threads, events and
/// usage. [`END`](crate::parts::END) follows. Answers which of the events have places.
///
/// # Errors
/// [`StoreError::Contention`] where it wrote other rows than it was to.
pub(crate) async fn insert(connection: &AsyncPgConnection, mail: &NewMail) -> Result<Vec<Sequenced>, StoreError> {
    let written = run(connection, Shape::of(mail), Some(mail)).await?;
    if written.iter().any(|row| !row.is_complete) {
        return Err(StoreError::Contention);
    }
    Ok(sequenced(written.into_iter().map(|row| row.sequenced)))
}

/// Makes the statement of a shape known to a connection: writes nothing, and says that this is not complete.
pub(crate) async fn prepare(connection: &AsyncPgConnection, shape: Shape) -> Result<(), StoreError> {
    run(connection, shape, None).await?;
    Ok(())
}

async fn run(
    connection: &AsyncPgConnection,
    shape: Shape,
    mail: Option<&NewMail>,
) -> Result<Vec<WrittenRow>, StoreError> {
    let nothing = NewMail::default();
    let NewMail { messages, begun, joined, events, queued, sends, usage } = mail.unwrap_or(&nothing);
    let mut rows = vec![messages.len(), messages.len(), begun.len(), events.len()];
    let statement = bind_bodies(bind_messages(Sql::new(shape.text()), messages)?, messages)?;
    let mut statement = append::bind(threads::bind_begun(statement, begun)?, events)?;
    if shape.joins {
        rows.push(joined.len());
        statement = threads::bind(statement, joined)?;
    }
    if shape.leaves {
        rows.extend([queued.len(), sends.len()]);
        statement = usage::bind_sends(queue::bind(statement, queued), sends);
    }
    rows.push(usage::rows(usage));
    // Without any, what was written is never as it was to be.
    let expected = if mail.is_some() { rows } else { Vec::new() };
    let expected = expected.into_iter().map(|rows| i64::try_from(rows).unwrap_or(i64::MAX));
    usage::bind(statement, usage).bigs(expected).rows_among(connection).await
}

fn bind_messages<'a>(statement: Sql<'a>, messages: &'a [NewMessage]) -> Result<Sql<'a>, StoreError> {
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

fn bind_bodies<'a>(statement: Sql<'a>, messages: &'a [NewMessage]) -> Result<Sql<'a>, StoreError> {
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
