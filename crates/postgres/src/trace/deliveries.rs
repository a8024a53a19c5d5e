//! Delivery attempts of a trace.

use diesel::QueryableByName;
use diesel_async::AsyncPgConnection;
use inboxd_core::model::outgoing::SentMessage;
use inboxd_core::model::{
    DeliveryAttempt, InboxId, MessageId, TraceEntry, TracePlace, TraceRecord, TraceSegment, TraceSource,
};
use inboxd_core::ports::{StoreError, TraceQuery};
use time::OffsetDateTime;
use uuid::Uuid;

use super::walk::SourceTable;
use crate::json::{StoredJson, from_json};
use crate::schema::delivery_attempts;

const DELIVERIES: SourceTable = SourceTable {
    source: TraceSource::Deliveries,
    name: "delivery_attempts",
    at: "attempted_at",
    id: "attempt_id",
    has_messages: true,
    is_indexed_by_message: true,
    has_threads: true,
    of_unstored_mail: "",
};

#[derive(QueryableByName)]
#[diesel(table_name = delivery_attempts)]
struct DeliveryAttemptRow {
    organization_id: Uuid,
    inbox_id: String,
    attempted_at: OffsetDateTime,
    attempt_id: Uuid,
    pod_id: Uuid,
    thread_id: Uuid,
    message_id: String,
    attempt: i32,
    results: StoredJson,
    next_attempt_at: Option<OffsetDateTime>,
}

/// Reads delivery attempts.
pub(super) async fn read(connection: &mut AsyncPgConnection, query: &TraceQuery) -> Result<TraceSegment, StoreError> {
    DELIVERIES.read(connection, query, entry).await
}

fn entry(row: DeliveryAttemptRow) -> Result<TraceEntry, StoreError> {
    let attempt = DeliveryAttempt {
        organization_id: row.organization_id.into(),
        attempt_id: row.attempt_id.into(),
        message: SentMessage {
            pod_id: row.pod_id.into(),
            inbox_id: InboxId::stored(row.inbox_id),
            thread_id: row.thread_id.into(),
            message_id: MessageId::stored(row.message_id),
        },
        attempt: u32::try_from(row.attempt).unwrap_or(0),
        results: from_json(row.results)?,
        next_attempt_at: row.next_attempt_at,
        attempted_at: row.attempted_at,
    };
    Ok(TraceEntry {
        place: TracePlace { at: row.attempted_at, source: TraceSource::Deliveries, id: row.attempt_id },
        record: TraceRecord::Delivery(attempt),
    })
}
