//! Appending events: one statement for all of them.

use async_trait::async_trait;
use diesel::sql_types::{Array, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use inboxd_core::model::Event;
use inboxd_core::ports::{Events, Signal, StoreError};

use crate::error::expect_rows;
use crate::sql::Sql;
use crate::text::{storable, to_json};
use crate::tx::PgTx;

/// Readers of the feed are told of an event when it has its place there, which it gets after the commit.
const APPEND: &str = "
    WITH appended AS (
        INSERT INTO events
            (organization_id, created_at, event_id, event_type, pod_id, inbox_id, thread_id, message_id, body)
        SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::uuid[],
            $8::text[], $9::jsonb[])
        RETURNING organization_id, event_id, created_at, event_type, pod_id, inbox_id
    )
    INSERT INTO feed_pending (organization_id, event_id, created_at, event_type, pod_id, inbox_id)
    SELECT * FROM appended";

#[async_trait]
impl Events for PgTx {
    async fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        if events.is_empty() {
            return Ok(());
        }
        let bodies = events.iter().map(|event| to_json(&event.body)).collect::<Result<Vec<_>, _>>()?;
        let written = Sql::new(APPEND)
            .uuids(events.iter().map(|event| event.organization_id.0))
            .bind::<Array<Timestamptz>, _>(events.iter().map(|event| event.created_at).collect::<Vec<_>>())
            .uuids(events.iter().map(|event| event.event_id.0))
            .texts(events.iter().map(|event| event.event_type.as_str()))
            .bind::<Array<Nullable<SqlUuid>>, _>(each(events, |event| event.pod_id.map(|id| id.0)))
            .bind::<Array<Nullable<Text>>, _>(each(events, |event| {
                event.inbox_id.as_ref().map(|id| storable(id.as_str()))
            }))
            .bind::<Array<Nullable<SqlUuid>>, _>(each(events, |event| event.thread_id.map(|id| id.0)))
            .bind::<Array<Nullable<Text>>, _>(each(events, |event| {
                event.message_id.as_ref().map(|id| storable(id.as_str()))
            }))
            .bind::<Array<Jsonb>, _>(bodies)
            .run(self.connection()?)
            .await?;
        expect_rows(written, events.len())?;
        self.will_tell(events.iter().map(|event| Signal::Feed(event.organization_id)));
        Ok(())
    }
}

/// One value of each event.
fn each<'a, T>(events: &'a [Event], value: impl Fn(&'a Event) -> T) -> Vec<T> {
    events.iter().map(value).collect()
}
