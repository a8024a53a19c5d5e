//! First reads of a trace.

use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::{ThreadId, TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource};
use inboxd_core::ports::{StoreError, TraceQuery};

use super::walk::{SourceTable, TracedRow};
use crate::first_reads::FirstReadRow;

const READS: SourceTable = SourceTable {
    source: TraceSource::Reads,
    name: "first_reads",
    at: "read_at",
    id: "read_id",
    has_messages: true,
    is_indexed_by_message: true,
    has_threads: false,
    of_unstored_mail: "",
};

#[derive(QueryableByName)]
struct TracedReadRow {
    #[diesel(embed)]
    read: FirstReadRow,
    #[diesel(embed)]
    message: TracedRow,
}

/// Reads first reads.
pub(super) async fn read(connection: &mut AsyncPgConnection, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
    READS.read(connection, query, entry).await
}

fn entry(row: TracedReadRow) -> Result<TraceEntry, StoreError> {
    let read = row.read.entity()?;
    Ok(TraceEntry {
        place: TracePlace { at: read.read_at, source: TraceSource::Reads, id: read.read_id.0 },
        record: TraceRecord::Read { read: Box::new(read), thread_id: row.message.m_thread_id.map(ThreadId::from) },
    })
}
