//! Appending of events, the last write of a unit of work.

use async_trait::async_trait;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use inboxd_core::model::{Event, InboxId, MessageId};
use inboxd_core::ports::{EventWrites, StoreError};

use crate::feed::sequence::PLACES;
use crate::given::{Column, names, rows};
use crate::parts::Part;
use crate::sql::Sql;
use crate::text::to_json;
use crate::tx::PgTx;

/// Columns of an event, in bind order.
const EVENT: &[Column] = &[
    ("organization_id", "uuid"),
    ("created_at", "timestamptz"),
    ("event_id", "uuid"),
    ("event_type", "text"),
    ("pod_id", "uuid"),
    ("inbox_id", "text"),
    ("thread_id", "uuid"),
    ("message_id", "text"),
    ("body", "jsonb"),
];

/// Inserts events and, if possible, assigns their positions in the same statement; the commit follows at once.
pub(crate) fn appended() -> Part {
    let tables = format!(
        "appended AS (
            INSERT INTO events ({}) {}
            RETURNING organization_id, event_id, created_at, event_type, pod_id, inbox_id
        ), {}",
        names(EVENT),
        rows(EVENT),
        PLACES.as_str()
    );
    Part { tables, counted: "appended" }
}

#[async_trait]
impl EventWrites for PgTx {
    async fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        self.kept().events.extend_from_slice(events);
        Ok(())
    }
}

/// Binds events.
pub(crate) fn bind<'a>(statement: Sql<'a>, events: &'a [Event]) -> Result<Sql<'a>, StoreError> {
    let bodies = events.iter().map(|event| to_json(&event.body)).collect::<Result<Vec<_>, _>>()?;
    Ok(statement
        .uuids(events.iter().map(|event| event.organization_id.0))
        .times(events.iter().map(|event| event.created_at))
        .uuids(events.iter().map(|event| event.event_id.0))
        .texts(events.iter().map(|event| event.event_type.as_str()))
        .bind::<Array<Nullable<SqlUuid>>, _>(each(events, |event| event.pod_id.map(|id| id.0)))
        .optional_texts(events.iter().map(|event| event.inbox_id.as_ref().map(InboxId::as_str)))
        .bind::<Array<Nullable<SqlUuid>>, _>(each(events, |event| event.thread_id.map(|id| id.0)))
        .optional_texts(events.iter().map(|event| event.message_id.as_ref().map(MessageId::as_str)))
        .jsons(bodies))
}

/// Returns one value of each event.
fn each<'a, T>(events: &'a [Event], value: impl Fn(&'a Event) -> T) -> Vec<T> {
    events.iter().map(value).collect()
}
