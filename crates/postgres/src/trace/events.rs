//! Events of a trace.

use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource};
use inboxd_core::ports::{StoreError, TraceQuery};

use super::walk::{SourceTable, TracedRow};
use crate::events::rows::EventRow;

const EVENTS: SourceTable = SourceTable {
    source: TraceSource::Events,
    name: "events",
    at: "created_at",
    id: "event_id",
    has_messages: true,
    is_indexed_by_message: true,
};

#[derive(QueryableByName)]
struct TracedEventRow {
    #[diesel(embed)]
    event: EventRow,
    #[diesel(embed)]
    message: TracedRow,
}

/// Reads events with their messages.
pub(super) async fn read(connection: &mut AsyncPgConnection, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
    EVENTS.read(connection, query, entry).await
}

fn entry(row: TracedEventRow) -> Result<Option<TraceEntry>, StoreError> {
    let message = row.message.entity()?.map(Box::new);
    let Some(event) = row.event.readable() else { return Ok(None) };
    Ok(Some(TraceEntry {
        place: TracePlace { at: event.created_at, source: TraceSource::Events, id: event.event_id.0 },
        record: TraceRecord::Event { event: Box::new(event), message, webhook_attempts: Vec::new() },
    }))
}
