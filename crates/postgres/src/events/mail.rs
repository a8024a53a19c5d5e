//! Messages of events, read in two queries for any number of events and organizations.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::{Binary, Nullable};
use diesel_async::AsyncPgConnection;
use futures_util::future::try_join;
use inboxd_core::model::{
    Event, EventId, HidingLabels, InboxId, Message, MessageBody, MessageId, OrganizationId, Thread, ThreadId,
};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::response_limits;
use inboxd_core::rules::webhooks::truncation::OmittablePart;

use crate::messages::body::{BodyField, BodyFields, decompressed_bytes, run_codec};
use crate::messages::rows::{BODY_OF_MESSAGE, FINDINGS, FindingsRow, ITEM, ItemRow, unseen};
use crate::sql::Sql;
use crate::threads::rows::{THREAD, ThreadRow};
use crate::usage::from_count;

/// Bodies that are left out above a size, with their part of an event.
const BODIES: [(OmittablePart, BodyField); 5] = [
    (OmittablePart::Html, BodyField::Html),
    (OmittablePart::Text, BodyField::Text),
    (OmittablePart::ExtractedHtml, BodyField::ExtractedHtml),
    (OmittablePart::ExtractedText, BodyField::ExtractedText),
    (OmittablePart::Headers, BodyField::Headers),
];

/// Number of [`BODIES`] for the size of a body in which each may be of the largest size.
const BODY_COUNT: i64 = 5;

/// Bytes of bodies above [`BODY_COUNT`] times the largest size after which those of an organization are left out without
/// being read: their authors decide how much there is to read.
const MAX_LARGE_BYTES: u64 = response_limits::MAX_BODY_BYTES;

/// Part of the messages that a reader of events sees.
#[derive(Clone, Copy)]
pub(crate) struct ReadableMail {
    /// Whether the reader sees any messages.
    pub(crate) with_mail: bool,
    /// Hiding labels that they may have.
    pub(crate) hidden: HidingLabels,
    /// Maximum size of a body in bytes.
    pub(crate) largest_body: u32,
}

/// The message of an event with its thread.
pub(crate) struct EventMail {
    /// The message.
    pub(crate) message: Message,
    /// Its thread.
    pub(crate) thread: Thread,
    /// Bodies that exceed the size limit.
    pub(crate) left_out: Vec<OmittablePart>,
}

/// Rows of the messages of events, with frames that are not decoded yet, and their threads.
#[derive(Default)]
pub(crate) struct MailRows {
    messages: Vec<BoundedRow>,
    threads: HashMap<(InboxKey, ThreadId), Thread>,
}

impl MailRows {
    /// Reads the messages and threads of events, if they still exist for the reader.
    pub(crate) async fn read(
        connection: &AsyncPgConnection,
        readable: ReadableMail,
        events: &[&Event],
    ) -> Result<Self, StoreError> {
        if events.is_empty() {
            return Ok(Self::default());
        }
        let (messages, threads) =
            try_join(messages(connection, readable, events), threads(connection, readable, events)).await?;
        Ok(Self { messages, threads })
    }

    /// Adds the rows of other events.
    pub(crate) fn extend(&mut self, others: Self) {
        self.messages.extend(others.messages);
        self.threads.extend(others.threads);
    }

    /// Returns the messages of events, without bodies above a size.
    pub(crate) async fn decoded(
        self,
        largest_body: u32,
        events: &[&Event],
    ) -> Result<HashMap<EventId, EventMail>, StoreError> {
        let Self { messages: rows, threads } = self;
        let largest = usize::try_from(largest_body).unwrap_or(usize::MAX);
        let bytes = rows.iter().filter_map(|row| row.body.as_deref()).map(decompressed_bytes).sum();
        let messages = run_codec(bytes, move || Ok(bounded_messages(rows, largest))).await?;
        let mail = events.iter().filter_map(|event| {
            let key = (event.organization_id, event.inbox_id.clone()?);
            let (message, left_out) = messages.get(&(key.clone(), event.message_id.clone()?))?;
            let thread = threads.get(&(key, message.item.thread_id))?;
            let mail = EventMail { message: message.clone(), thread: thread.clone(), left_out: left_out.clone() };
            Some((event.event_id, mail))
        });
        Ok(mail.collect())
    }
}

type InboxKey = (OrganizationId, InboxId);

#[derive(QueryableByName)]
struct BoundedRow {
    #[diesel(embed)]
    item: ItemRow,
    #[diesel(embed)]
    findings: FindingsRow,
    /// Frame of the bodies; `None` behind [`MAX_LARGE_BYTES`].
    #[diesel(sql_type = Nullable<Binary>)]
    body: Option<Vec<u8>>,
}

/// A message with the parts that exceed the size limit.
type BoundedMessage = (Message, Vec<OmittablePart>);

/// Returns the messages of rows. Unreadable ones are left out as if deleted.
fn bounded_messages(rows: Vec<BoundedRow>, largest: usize) -> HashMap<(InboxKey, MessageId), BoundedMessage> {
    let mut messages = HashMap::with_capacity(rows.len());
    for row in rows {
        let (organization_id, message_id) = row.item.ids();
        match bounded(row, largest) {
            Ok((message, left_out)) => {
                let item = &message.item;
                let key = ((item.organization_id, item.inbox_id.clone()), item.message_id.clone());
                messages.insert(key, (message, left_out));
            }
            Err(error) => tracing::error!(%organization_id, %message_id, %error, "stored message of event unreadable"),
        }
    }
    messages
}

/// Returns a message without the bodies above a size; without a frame, all bodies are left out.
fn bounded(row: BoundedRow, largest: usize) -> Result<BoundedMessage, StoreError> {
    let (texts, left_out) = match row.body {
        Some(frame) => {
            let mut fields = BodyFields::of(frame)?;
            let left_out = BODIES.into_iter().filter(|(_, field)| fields.leave_out(*field, largest));
            let left_out = left_out.map(|(part, _)| part).collect();
            (fields.body()?, left_out)
        }
        None => (MessageBody::default(), BODIES.map(|(part, _)| part).to_vec()),
    };
    Ok((Message { item: row.item.entity()?, body: row.findings.body(texts)? }, left_out))
}

/// Returns the rows of the messages. Bodies count in the order of the events.
async fn messages(
    connection: &AsyncPgConnection,
    readable: ReadableMail,
    events: &[&Event],
) -> Result<Vec<BoundedRow>, StoreError> {
    let about: Vec<_> = events
        .iter()
        .filter_map(|event| Some((event.organization_id, event.inbox_id.as_ref()?, event.message_id.as_ref()?)))
        .collect();
    // A message has one row, and its body too. `LIMIT 1` asks for them by their whole key; a join may read all bodies of
    // the inbox for each.
    let text = format!(
        "SELECT {ITEM}, {FINDINGS}, CASE WHEN b.body_bytes <= $5
            OR sum(CASE WHEN b.body_bytes > $5 THEN b.body_bytes ELSE 0 END) OVER page - b.body_bytes <= $6
            THEN b.body END AS body
        FROM (
            SELECT organization_id, inbox_id, message_id, min(place) AS place
            FROM unnest($1::uuid[], $2::text[], $3::text[])
                WITH ORDINALITY AS e(organization_id, inbox_id, message_id, place)
            GROUP BY organization_id, inbox_id, message_id) AS wanted
        JOIN inboxes i ON i.organization_id = wanted.organization_id AND i.inbox_id = wanted.inbox_id
            AND i.deleted_at IS NULL
        CROSS JOIN LATERAL (
            SELECT * FROM messages
            WHERE organization_id = wanted.organization_id AND inbox_id = wanted.inbox_id
                AND message_id = wanted.message_id AND hidden & $4 = 0 LIMIT 1) m
        CROSS JOIN LATERAL (SELECT * FROM message_bodies b WHERE {BODY_OF_MESSAGE} LIMIT 1) b
        WINDOW page AS (PARTITION BY m.organization_id ORDER BY wanted.place ROWS UNBOUNDED PRECEDING)"
    );
    Sql::new(text)
        .uuids(about.iter().map(|(organization_id, ..)| organization_id.0))
        .texts(about.iter().map(|(_, inbox_id, _)| inbox_id.as_str()))
        .texts(about.iter().map(|(.., message_id)| message_id.as_str()))
        .small(unseen(readable.hidden))
        .big(i64::from(readable.largest_body) * BODY_COUNT)
        .big(from_count(MAX_LARGE_BYTES))
        .rows_among::<BoundedRow>(connection)
        .await
}

async fn threads(
    connection: &AsyncPgConnection,
    readable: ReadableMail,
    events: &[&Event],
) -> Result<HashMap<(InboxKey, ThreadId), Thread>, StoreError> {
    let about: Vec<_> = events
        .iter()
        .filter_map(|event| Some((event.organization_id, event.inbox_id.as_ref()?, event.thread_id?)))
        .collect();
    let text = format!(
        "SELECT {THREAD}
        FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::uuid[])
            AS e(organization_id, inbox_id, thread_id)) AS wanted
        JOIN threads t ON t.organization_id = wanted.organization_id AND t.inbox_id = wanted.inbox_id
            AND t.thread_id = wanted.thread_id AND t.hidden_sets & $4 <> 0"
    );
    let rows = Sql::new(text)
        .uuids(about.iter().map(|(organization_id, ..)| organization_id.0))
        .texts(about.iter().map(|(_, inbox_id, _)| inbox_id.as_str()))
        .uuids(about.iter().map(|(.., thread_id)| thread_id.0))
        .integer(readable.hidden.shown_set())
        .rows_among::<ThreadRow>(connection)
        .await?;
    rows.into_iter()
        .map(|row| {
            let thread = row.entity()?;
            Ok((((thread.organization_id, thread.inbox_id.clone()), thread.thread_id), thread))
        })
        .collect()
}
