//! The mail that events are about: two questions a page, however many events it has.

use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Event, EventId, InboxId, Message, MessageId, Thread, ThreadId};
use inboxd_core::ports::StoreError;

use super::rows::Readable;
use crate::messages::rows::{BODY_OF_MESSAGE, ITEM, MessageRow, unseen};
use crate::sql::Sql;
use crate::threads::rows::{THREAD, ThreadRow};

/// The messages and threads of events, as far as they are still there for the reader.
pub(super) async fn mail_of(
    connection: &mut AsyncPgConnection,
    readable: Readable,
    events: &[&Event],
) -> Result<HashMap<EventId, (Message, Thread)>, StoreError> {
    if events.is_empty() {
        return Ok(HashMap::new());
    }
    let messages = messages(connection, readable, events).await?;
    let threads = threads(connection, readable, events).await?;
    let mail = events.iter().filter_map(|event| {
        let message = messages.get(&(event.inbox_id.clone()?, event.message_id.clone()?))?;
        let thread = threads.get(&(event.inbox_id.clone()?, message.item.thread_id))?;
        Some((event.event_id, (message.clone(), thread.clone())))
    });
    Ok(mail.collect())
}

async fn messages(
    connection: &mut AsyncPgConnection,
    readable: Readable,
    events: &[&Event],
) -> Result<HashMap<(InboxId, MessageId), Message>, StoreError> {
    let about: Vec<_> =
        events.iter().filter_map(|event| Some((event.inbox_id.as_ref()?, event.message_id.as_ref()?))).collect();
    // The length of a stored text is known without reading it.
    let body = ["text", "html", "extracted_text", "extracted_html"]
        .map(|column| format!("CASE WHEN octet_length(b.{column}) <= $5 THEN b.{column} END AS {column}"))
        .join(", ");
    let text = format!(
        "SELECT {ITEM}, {body}, CASE WHEN octet_length(b.headers) <= $5 THEN b.headers ELSE '[]' END AS headers
        FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::text[]) AS e(inbox_id, message_id)) AS wanted
        JOIN inboxes i ON i.organization_id = $1 AND i.inbox_id = wanted.inbox_id AND i.deleted_at IS NULL
        JOIN messages m ON m.organization_id = $1 AND m.inbox_id = wanted.inbox_id AND m.message_id = wanted.message_id
        JOIN message_bodies b ON {BODY_OF_MESSAGE}
        WHERE m.hidden & $4 = 0"
    );
    let rows = Sql::new(text)
        .uuid(readable.organization_id.0)
        .texts(about.iter().map(|(inbox_id, _)| inbox_id.as_str()))
        .texts(about.iter().map(|(_, message_id)| message_id.as_str()))
        .small(unseen(readable.hidden))
        .big(i64::from(readable.largest_body))
        .rows::<MessageRow>(connection)
        .await?;
    rows.into_iter()
        .map(|row| {
            let message = row.entity()?;
            Ok(((message.item.inbox_id.clone(), message.item.message_id.clone()), message))
        })
        .collect()
}

async fn threads(
    connection: &mut AsyncPgConnection,
    readable: Readable,
    events: &[&Event],
) -> Result<HashMap<(InboxId, ThreadId), Thread>, StoreError> {
    let about: Vec<_> = events.iter().filter_map(|event| Some((event.inbox_id.as_ref()?, event.thread_id?))).collect();
    let text = format!(
        "SELECT {THREAD}
        FROM (SELECT DISTINCT * FROM unnest($2::text[], $3::uuid[]) AS e(inbox_id, thread_id)) AS wanted
        JOIN threads t ON t.organization_id = $1 AND t.inbox_id = wanted.inbox_id AND t.thread_id = wanted.thread_id
        WHERE t.hidden_sets & $4 <> 0"
    );
    let rows = Sql::new(text)
        .uuid(readable.organization_id.0)
        .texts(about.iter().map(|(inbox_id, _)| inbox_id.as_str()))
        .uuids(about.iter().map(|(_, thread_id)| thread_id.0))
        .integer(readable.hidden.shown_set())
        .rows::<ThreadRow>(connection)
        .await?;
    rows.into_iter()
        .map(|row| {
            let thread = row.entity()?;
            Ok(((thread.inbox_id.clone(), thread.thread_id), thread))
        })
        .collect()
}
