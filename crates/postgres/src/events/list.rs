//! Reading events.

use async_trait::async_trait;
use diesel::QueryableByName;
use inboxd_core::model::event::EventRecord;
use inboxd_core::model::page::Cursor;
use inboxd_core::model::{Event, EventBody, EventType, InboxId, MessageId, Page};
use inboxd_core::ports::{EventQuery, EventReads, StoreError};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::mail::{Readable, mail_of};
use crate::keyset::{Order, behind_cursor, cursor_uuid, rows_to_read};
use crate::schema::events;
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::from_json;

/// What [`EventRow`] reads, of a table named `e`.
pub(crate) const EVENT: &str = "e.organization_id, e.created_at, e.event_id, e.event_type, e.pod_id, e.inbox_id, \
    e.thread_id, e.message_id, e.body";

/// An event.
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
    /// The event of the row.
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

#[async_trait]
impl EventReads for PgStore {
    async fn list_events(&self, query: &EventQuery) -> Result<Page<EventRecord>, StoreError> {
        let mut connection = self.connection().await?;
        let after = query.page.after.as_ref();
        let rows = Sql::new(text(query))
            .uuid(query.organization_id.0)
            .time(query.start)
            .time(query.end)
            .big(rows_to_read(query.page.limit))
            .optional_time(after.map(|cursor| cursor.time))
            .uuid(after.map(cursor_uuid).unwrap_or_default())
            .uuid(query.pod_id.map_or_else(Uuid::nil, |pod_id| pod_id.0))
            .optional_text(query.inbox_id.as_ref().map(InboxId::as_str))
            .texts(query.event_types.iter().map(|event_type| event_type.as_str()))
            .rows::<EventRow>(&mut connection)
            .await?;
        let found = rows.into_iter().map(EventRow::entity).collect::<Result<Vec<_>, _>>()?;
        let page = Page::of(found, query.page.limit, |event| Cursor {
            time: event.created_at,
            id: event.event_id.0.to_string(),
        });
        let is_read = |event: &&Event| query.with_mail && event.body == EventBody::Received;
        let received: Vec<&Event> = page.items.iter().filter(is_read).collect();
        let readable = Readable { hidden: query.readable, largest_body: query.largest_body };
        let mut mail = mail_of(&mut connection, readable, &received).await?;
        let items = page.items.into_iter().map(|event| {
            let mail = mail.remove(&event.event_id);
            EventRecord { mail: mail.map(|mail| (mail.message, mail.thread)), event }
        });
        let items = items.collect();
        Ok(Page { items, next: page.next })
    }
}

fn text(query: &EventQuery) -> String {
    format!(
        "SELECT {EVENT}
        FROM events e
        WHERE organization_id = $1 AND created_at >= $2 AND created_at < $3 {behind} {of_pod} {of_inbox} {of_types}
        ORDER BY created_at {sort}, event_id {sort} LIMIT $4",
        behind = behind_cursor(&query.page, "created_at, event_id", "$5, $6"),
        of_pod = if query.pod_id.is_some() { "AND pod_id = $7" } else { "" },
        of_inbox = if query.inbox_id.is_some() { "AND inbox_id = $8" } else { "" },
        of_types = if query.event_types.is_empty() { "" } else { "AND event_type = ANY($9)" },
        sort = Order::of(query.page.direction).sort,
    )
}
