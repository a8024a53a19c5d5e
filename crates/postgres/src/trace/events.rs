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
    has_threads: true,
    // The mail of a rejected send is never stored, and that of a held one is a draft, unless a later event tells that it left.
    of_unstored_mail: "e.message_id IS NULL OR (e.event_type IN ('message.rejected', 'message.held') AND NOT EXISTS (
        SELECT FROM events s WHERE s.organization_id = e.organization_id AND s.inbox_id = e.inbox_id
            AND s.message_id = e.message_id AND s.event_type IN ('message.sent', 'message.approved')))",
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

fn entry(row: TracedEventRow) -> Result<TraceEntry, StoreError> {
    let message = row.message.entity()?.map(Box::new);
    let event = row.event.entity()?;
    Ok(TraceEntry {
        place: TracePlace { at: event.created_at, source: TraceSource::Events, id: event.event_id.0 },
        record: TraceRecord::Event { event: Box::new(event), message, webhook_attempts: Vec::new() },
    })
}
