//! Refused mail of a trace.

use diesel_async::AsyncPgConnection;
use inboxd_core::model::{TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource};
use inboxd_core::ports::{StoreError, TraceQuery};

use super::walk::SourceTable;
use crate::refusals::RefusalRow;

const REFUSALS: SourceTable = SourceTable {
    source: TraceSource::Refusals,
    name: "smtp_refusals",
    at: "refused_at",
    id: "refusal_id",
    has_messages: false,
    is_indexed_by_message: false,
    has_threads: false,
    of_unstored_mail: "",
};

/// Reads refusals.
pub(super) async fn read(connection: &mut AsyncPgConnection, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
    if query.message_id.is_some() || query.thread_id.is_some() {
        return Ok(TraceSegment::default());
    }
    REFUSALS.read(connection, query, entry).await
}

fn entry(row: RefusalRow) -> Result<TraceEntry, StoreError> {
    let refusal = row.entity()?;
    Ok(TraceEntry {
        place: TracePlace { at: refusal.refused_at, source: TraceSource::Refusals, id: refusal.refusal_id.0 },
        record: TraceRecord::Refusal(Box::new(refusal)),
    })
}
