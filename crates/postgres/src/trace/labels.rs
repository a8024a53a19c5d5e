//! Label changes of a trace.

use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{ThreadId, TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource};
use inboxd_core::ports::{StoreError, TraceQuery};

use super::walk::{SourceTable, TracedRow};
use crate::label_history::LabelEventRow;

const LABELS: SourceTable = SourceTable {
    source: TraceSource::Labels,
    name: "label_history",
    at: "event_at",
    id: "event_id",
    has_messages: true,
    // The history of an inbox is bounded.
    is_indexed_by_message: false,
    has_threads: false,
    of_unstored_mail: "",
};

#[derive(QueryableByName)]
struct TracedLabelRow {
    #[diesel(embed)]
    change: LabelEventRow,
    #[diesel(embed)]
    message: TracedRow,
}

/// Reads label changes by callers.
pub(super) async fn read(connection: &mut AsyncPgConnection, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
    LABELS.read(connection, query, entry).await
}

fn entry(row: TracedLabelRow) -> Result<TraceEntry, StoreError> {
    let change = row.change.entity()?;
    Ok(TraceEntry {
        place: TracePlace { at: change.event_at, source: TraceSource::Labels, id: change.event_id.0 },
        record: TraceRecord::Label { change, thread_id: row.message.m_thread_id.map(ThreadId::from) },
    })
}
