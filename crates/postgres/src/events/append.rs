//! Appending events: one statement for all of them.

use std::sync::LazyLock;

use async_trait::async_trait;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{Event, InboxId, MessageId};
use inboxd_core::ports::{Events, Signal, StoreError};

use crate::feed::sequence::PLACES;
use crate::parts::{Part, writing};
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

/// Events that get their places with the same statement, where they can; the commit follows at once.
pub(crate) fn in_place() -> Part {
    Part { tables: format!("{APPENDED}, {}", PLACES.as_str()).into(), counted: "appended" }
}

/// Events that get their places after the commit.
static APPEND: LazyLock<String> = LazyLock::new(|| {
    let unplaced = "unplaced AS (
        INSERT INTO feed_pending (organization_id, event_id, created_at, event_type, pod_id, inbox_id)
        SELECT * FROM appended
    )";
    writing(&[Part { tables: format!("{APPENDED}, {unplaced}").into(), counted: "appended" }])
});

#[async_trait]
impl Events for PgTx {
    async fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        append(self.connection().await?, events).await?;
        self.will_tell(events.iter().map(|event| Signal::Feed(event.organization_id)));
        Ok(())
    }
}

/// Appends events. Whoever commits them tells of it.
async fn append(connection: &AsyncPgConnection, events: &[Event]) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    bind(Sql::new(APPEND.as_str()), events)?.write(connection, &[events.len()]).await
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
