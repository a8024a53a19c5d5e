//! Sizes of the queues, counted up to a bound.
//!
//! Each count walks the begin of an index and stops at the bound, so a long queue costs as much as a queue of that length.

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz};
use inboxd_core::ports::{Backlog, BacklogReads, MAX_COUNTED_ROWS, StoreError, WorkBacklogs};
use time::OffsetDateTime;

use crate::sql::Sql;
use crate::store::PgStore;

/// Sizes by name. The outgoing queue is bounded before held messages are told apart: otherwise many held ones would be read.
const SIZES: &str = "
    SELECT 'codes' AS name, count(*) AS rows, min(created_at) AS oldest FROM (
        SELECT created_at FROM outgoing WHERE is_code ORDER BY due_at LIMIT $1) q
    UNION ALL
    SELECT CASE WHEN is_held THEN 'held' ELSE route END, count(*), min(created_at) FROM (
        SELECT route, created_at, held_due_at IS NOT NULL AS is_held FROM outgoing
        WHERE NOT is_code ORDER BY due_at LIMIT $1) q GROUP BY 1
    UNION ALL
    SELECT 'webhook_deliveries', count(*), min(event_created_at) FROM (
        SELECT event_created_at FROM webhook_deliveries
        ORDER BY organization_id, webhook_id, event_id LIMIT $1) q
    UNION ALL
    SELECT 'unsequenced_events', count(*), min(created_at) FROM (
        SELECT created_at FROM feed_pending ORDER BY organization_id, event_id LIMIT $1) q
    UNION ALL
    SELECT 'unindexed_messages', count(*), min(hour) FROM (
        SELECT hour FROM search_pending ORDER BY organization_id, inbox_id, hidden, hour LIMIT $1) q
    UNION ALL
    SELECT 'unread_attachments', count(*), min(attachments_due_at) FROM (
        SELECT attachments_due_at FROM message_bodies WHERE attachments_due_at IS NOT NULL
        ORDER BY organization_id, attachments_due_at LIMIT $1) q
    UNION ALL
    SELECT 'event_weeks_ahead', count(*), NULL FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass AND c.relname > 'events_from_' || to_char(now(), 'YYYYMMDD')
            AND c.relname < 'events_from_a'
    UNION ALL
    SELECT 'connections', numbackends, NULL FROM pg_stat_database WHERE datname = current_database()";

#[derive(QueryableByName)]
struct SizeRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    rows: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    oldest: Option<OffsetDateTime>,
}

#[async_trait]
impl BacklogReads for PgStore {
    async fn backlogs(&self) -> Result<WorkBacklogs, StoreError> {
        let rows = Sql::new(SIZES).big(MAX_COUNTED_ROWS.into()).rows(&mut *self.connection().await?).await?;
        let mut sizes = WorkBacklogs::default();
        for SizeRow { name, rows, oldest } in rows {
            let rows = u64::try_from(rows).unwrap_or(0);
            let size = Backlog { rows, oldest };
            match name.as_str() {
                "codes" => sizes.codes = size,
                "local" => sizes.local_mail = size,
                "remote" => sizes.remote_mail = size,
                "held" => sizes.held_mail = size,
                "webhook_deliveries" => sizes.webhook_deliveries = size,
                "unsequenced_events" => sizes.unsequenced_events = size,
                "unindexed_messages" => sizes.unindexed_messages = size,
                "unread_attachments" => sizes.unread_attachments = size,
                "event_weeks_ahead" => sizes.event_weeks_ahead = rows,
                "connections" => sizes.connections = rows,
                _ => {}
            }
        }
        Ok(sizes)
    }
}
