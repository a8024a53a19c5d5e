//! Messages of events, read in two queries for any number of events and organizations.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::SmallInt;
use diesel_async::AsyncPgConnection;
use futures_util::future::try_join;
use inboxd_core::model::{Event, EventId, InboxId, Message, MessageId, OrganizationId, Thread, ThreadId};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::webhooks::truncation::OmittablePart;

use super::rows::ReadableMail;
use crate::messages::rows::{BODIES as BODIES_OF_MESSAGES, ITEM, MessageRow, unseen};
use crate::sql::Sql;
use crate::threads::rows::{THREAD, ThreadRow};

/// Bodies in the order of the bits in `left_out`: part, column, and replacement for one that is left out.
const BODIES: [(OmittablePart, &str, &str); 5] = [
    (OmittablePart::Html, "html", "NULL"),
    (OmittablePart::Text, "text", "NULL"),
    (OmittablePart::ExtractedHtml, "extracted_html", "NULL"),
    (OmittablePart::ExtractedText, "extracted_text", "NULL"),
    (OmittablePart::Headers, "headers", "'[]'"),
];

/// The message of an event with its thread.
pub(crate) struct EventMail {
    /// The message.
    pub(crate) message: Message,
    /// Its thread.
    pub(crate) thread: Thread,
    /// Bodies that exceed the size limit.
    pub(crate) left_out: Vec<OmittablePart>,
}

/// Reads the messages and threads of events, if they still exist for the reader.
pub(crate) async fn mail_of(
    connection: &AsyncPgConnection,
    readable: ReadableMail,
    events: &[&Event],
) -> Result<HashMap<EventId, EventMail>, StoreError> {
    if events.is_empty() {
        return Ok(HashMap::new());
    }
    let (messages, threads) =
        try_join(messages(connection, readable, events), threads(connection, readable, events)).await?;
    let mail = events.iter().filter_map(|event| {
        let key = (event.organization_id, event.inbox_id.clone()?);
        let (message, left_out) = messages.get(&(key.clone(), event.message_id.clone()?))?;
        let thread = threads.get(&(key, message.item.thread_id))?;
        let mail = EventMail { message: message.clone(), thread: thread.clone(), left_out: left_out.clone() };
        Some((event.event_id, mail))
    });
    Ok(mail.collect())
}

type InboxKey = (OrganizationId, InboxId);

#[derive(QueryableByName)]
struct BoundedRow {
    #[diesel(embed)]
    message: MessageRow,
    #[diesel(sql_type = SmallInt)]
    left_out: i16,
}

async fn messages(
    connection: &AsyncPgConnection,
    readable: ReadableMail,
    events: &[&Event],
) -> Result<HashMap<(InboxKey, MessageId), (Message, Vec<OmittablePart>)>, StoreError> {
    let about: Vec<_> = events
        .iter()
        .filter_map(|event| Some((event.organization_id, event.inbox_id.as_ref()?, event.message_id.as_ref()?)))
        .collect();
    // The length of a stored text is known without reading it.
    let bodies = BODIES.map(|(_, column, instead)| {
        format!("CASE WHEN octet_length(b.{column}) > $5 THEN {instead} ELSE b.{column} END AS {column}")
    });
    let left_out = (0..BODIES.len())
        .zip(BODIES)
        .map(|(bit, (_, column, _))| format!("CASE WHEN octet_length(b.{column}) > $5 THEN {} ELSE 0 END", 1 << bit));
    // One primary key lookup per message: without statistics the planner would read all bodies of an inbox.
    let text = format!(
        "SELECT {ITEM}, {bodies}, b.authentication, b.spam, b.extracted, ({left_out})::smallint AS left_out
        FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::text[])
            AS e(organization_id, inbox_id, message_id)) AS wanted
        CROSS JOIN LATERAL (
            SELECT FROM inboxes
            WHERE organization_id = wanted.organization_id AND inbox_id = wanted.inbox_id AND deleted_at IS NULL OFFSET 0) i
        CROSS JOIN LATERAL (
            SELECT * FROM messages
            WHERE organization_id = wanted.organization_id AND inbox_id = wanted.inbox_id
                AND message_id = wanted.message_id AND hidden & $4 = 0 OFFSET 0) m
        {BODIES_OF_MESSAGES}",
        bodies = bodies.join(", "),
        left_out = left_out.collect::<Vec<_>>().join(" + "),
    );
    let rows = Sql::new(text)
        .uuids(about.iter().map(|(organization_id, ..)| organization_id.0))
        .texts(about.iter().map(|(_, inbox_id, _)| inbox_id.as_str()))
        .texts(about.iter().map(|(.., message_id)| message_id.as_str()))
        .small(unseen(readable.hidden))
        .big(i64::from(readable.largest_body))
        .rows_among::<BoundedRow>(connection)
        .await?;
    rows.into_iter()
        .map(|row| {
            let message = row.message.entity()?;
            let left_out = (0..).zip(BODIES).filter(|(bit, _)| row.left_out & (1 << bit) != 0);
            let left_out = left_out.map(|(_, (part, ..))| part).collect();
            let item = &message.item;
            let key = ((item.organization_id, item.inbox_id.clone()), item.message_id.clone());
            Ok((key, (message, left_out)))
        })
        .collect()
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
        CROSS JOIN LATERAL (
            SELECT * FROM threads
            WHERE organization_id = wanted.organization_id AND inbox_id = wanted.inbox_id
                AND thread_id = wanted.thread_id AND hidden_sets & $4 <> 0 OFFSET 0) t"
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
