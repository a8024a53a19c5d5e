//! Events as they are stored, and with the mail that they are about.

use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{Event, EventBody, EventType, Hidden, InboxId, MessageId};
use inboxd_core::ports::{StoreError, WholeEvent};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::mail::mail_of;
use crate::schema::events;
use crate::text::from_json;

/// The columns of an event, of `events e`.
pub(crate) const EVENT: &str =
    "e.organization_id, e.created_at, e.event_id, e.event_type, e.pod_id, e.inbox_id, e.thread_id,
    e.message_id, e.body";

#[derive(QueryableByName)]
#[diesel(table_name = events)]
pub(crate) struct EventRow {
    organization_id: Uuid,
    created_at: OffsetDateTime,
    event_id: Uuid,
    event_type: String,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    thread_id: Option<Uuid>,
    message_id: Option<String>,
    body: Value,
}

impl EventRow {
    pub(crate) fn entity(self) -> Result<Event, StoreError> {
        Ok(Event {
            event_id: self.event_id.into(),
            event_type: EventType::named(&self.event_type)
                .ok_or_else(|| StoreError::Failed(format!("unknown type of event {:?}", self.event_type)))?,
            organization_id: self.organization_id.into(),
            pod_id: self.pod_id.map(Into::into),
            inbox_id: self.inbox_id.map(InboxId::stored),
            thread_id: self.thread_id.map(Into::into),
            message_id: self.message_id.map(MessageId::stored),
            body: from_json(self.body)?,
            created_at: self.created_at,
        })
    }
}

/// Which mail the reader of events sees, and how much of it.
#[derive(Clone, Copy)]
pub(crate) struct Readable {
    /// Whether they see any.
    pub(crate) with_mail: bool,
    /// The hiding labels that it may carry.
    pub(crate) hidden: Hidden,
    /// The largest body that is read, in octets.
    pub(crate) largest_body: u32,
}

/// Events with the mail that they are about, as far as it is still there for the reader.
pub(crate) async fn with_mail(
    connection: &mut AsyncPgConnection,
    readable: Readable,
    events: Vec<Event>,
) -> Result<Vec<WholeEvent>, StoreError> {
    let is_read = |event: &&Event| readable.with_mail && event.body == EventBody::Received;
    let received: Vec<&Event> = events.iter().filter(is_read).collect();
    let mut mail = mail_of(connection, readable, &received).await?;
    let whole = |event: Event| match mail.remove(&event.event_id) {
        Some(mail) => WholeEvent {
            record: EventRecord { event, mail: Some((mail.message, mail.thread)) },
            left_out: mail.left_out,
        },
        None => WholeEvent { record: EventRecord { event, mail: None }, left_out: Vec::new() },
    };
    Ok(events.into_iter().map(whole).collect())
}
