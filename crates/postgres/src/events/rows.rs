//! Rows of events, with and without their messages.

use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{Event, EventBody, EventType, InboxId, MessageId, TraceContext};
use inboxd_core::ports::{StoreError, WholeEvent};
use time::OffsetDateTime;
use uuid::Uuid;

use super::mail::{MailRows, ReadableMail};
use crate::connection::Connection;
use crate::json::{StoredJson, from_json};
use crate::schema::events;
use crate::stored_row::stored_row;

stored_row! {
    /// An event.
    #[derive(QueryableByName)]
    #[diesel(table_name = events)]
    pub(crate) struct EventRow => Event;

    /// Columns of [`EventRow`], of a table named `e`.
    pub(crate) const EVENT = "e";

    organization_id: Uuid => organization_id = organization_id.into(),
    created_at: OffsetDateTime => created_at = created_at,
    event_id: Uuid => event_id = event_id.into(),
    event_type: String => event_type = stored_type(&event_type)?,
    pod_id: Option<Uuid> => pod_id = pod_id.map(Into::into),
    inbox_id: Option<String> => inbox_id = inbox_id.map(InboxId::stored),
    thread_id: Option<Uuid> => thread_id = thread_id.map(Into::into),
    message_id: Option<String> => message_id = message_id.map(MessageId::stored),
    body: StoredJson => body = from_json(body)?,
    traceparent: Option<String> => traceparent = traceparent.as_deref().and_then(TraceContext::parse),
}

impl EventRow {
    /// Returns the event, or nothing for an unreadable row: a later version may have written it, and it must not block
    /// later events.
    pub(crate) fn readable(self) -> Option<Event> {
        self.logged().ok()
    }

    /// Returns the event, or logs the reason of an unreadable row.
    pub(crate) fn logged(self) -> Result<Event, StoreError> {
        let (organization_id, event_id) = (self.organization_id, self.event_id);
        self.entity().inspect_err(|error| tracing::error!(%organization_id, %event_id, %error, "event unreadable"))
    }

    /// Returns the cursor behind the event.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor { time: self.created_at, id: self.event_id.to_string() }
    }
}

fn stored_type(name: &str) -> Result<EventType, StoreError> {
    EventType::named(name).ok_or_else(|| StoreError::Failed(format!("unknown type of event {name:?}")))
}

/// Reads events with their messages, if these still exist for the reader. The connection is free while bodies are decoded.
pub(crate) async fn with_mail(
    connection: Connection,
    readable: ReadableMail,
    events: Vec<Event>,
) -> Result<Vec<WholeEvent>, StoreError> {
    let is_read = |event: &&Event| readable.with_mail && matches!(event.body, EventBody::Received { .. });
    let received: Vec<&Event> = events.iter().filter(is_read).collect();
    let rows = readable_mail(&connection, readable, &received).await?;
    drop(connection);
    let mut mail = rows.decoded(readable.largest_body, &received).await?;
    let whole = |event: Event| match mail.remove(&event.event_id) {
        Some(mail) => WholeEvent {
            record: EventRecord { event, mail: Some((mail.message, mail.thread)) },
            left_out: mail.left_out,
        },
        None => WholeEvent { record: EventRecord { event, mail: None }, left_out: Vec::new() },
    };
    Ok(events.into_iter().map(whole).collect())
}

/// Reads the messages of events. Unreadable messages are left out as if deleted: a failed query is repeated in halves,
/// down to the single event.
fn readable_mail<'a>(
    connection: &'a AsyncPgConnection,
    readable: ReadableMail,
    events: &'a [&'a Event],
) -> BoxFuture<'a, Result<MailRows, StoreError>> {
    async move {
        match (MailRows::read(connection, readable, events).await, events) {
            (Err(StoreError::Failed(error)), [event]) => {
                let (organization_id, event_id) = (event.organization_id.0, event.event_id.0);
                tracing::error!(%organization_id, %event_id, %error, "stored message of event unreadable");
                Ok(MailRows::default())
            }
            (Err(StoreError::Failed(_)), events) => {
                let (first, rest) = events.split_at(events.len() / 2);
                let mut mail = readable_mail(connection, readable, first).await?;
                mail.extend(readable_mail(connection, readable, rest).await?);
                Ok(mail)
            }
            (mail, _) => mail,
        }
    }
    .boxed()
}
