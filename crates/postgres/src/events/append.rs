//! Appending events, which happens last in a unit of work.

use async_trait::async_trait;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use inboxd_core::model::{Event, InboxId, MessageId};
use inboxd_core::ports::{Events, StoreError};

use crate::feed::sequence::PLACES;
use crate::parts::Part;
use crate::sql::Sql;
use crate::text::to_json;
use crate::tx::PgTx;

const APPENDED: &str = "appended AS (
        INSERT INTO events
            (organization_id, created_at, event_id, event_type, pod_id, inbox_id, thread_id, message_id, body)
        SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::uuid[],
            $8::text[], $9::jsonb[])
        RETURNING organization_id, event_id, created_at, event_type, pod_id, inbox_id
    )";

/// Events, which get their places with the same statement where they can; the commit follows at once.
pub(crate) fn appended() -> Part {
    Part { tables: format!("{APPENDED}, {}", PLACES.as_str()).into(), counted: "appended" }
}

#[async_trait]
impl Events for PgTx {
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

/// One value of each event.
fn each<'a, T>(events: &'a [Event], value: impl Fn(&'a Event) -> T) -> Vec<T> {
    events.iter().map(value).collect()
}
