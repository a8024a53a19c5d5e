//! Deletion of messages with all dependent rows.

use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use crate::sql::Sql;
use crate::usage::{CountRow, to_count};

/// Messages per statement, few enough that it is short for any total.
const BATCH: usize = 500;

/// Queued mail retains its content, which moves to the queue. All parts of a statement see the rows before it, so the
/// content can still be moved.
///
/// Each row is found by its whole key and deleted by its physical position (`ctid`), so that no planner estimate for an
/// inbox, which may be a thousand times larger than most, can cause a comparison of each row with each id. Rows of the
/// queue are updated by key: a concurrent claim moves the row, and the update waits for the claim and follows the row.
/// The other rows either never change, or their count is checked.
const DELETE: &str = "
    WITH wanted AS MATERIALIZED (
        SELECT m.ctid AS place, m.message_id, m.labels, m.hidden, m.timestamp
        FROM unnest($3::text[]) AS w(message_id) CROSS JOIN LATERAL (
            SELECT ctid, message_id, labels, hidden, timestamp FROM messages
            WHERE organization_id = $1 AND inbox_id = $2 AND message_id = w.message_id OFFSET 0) m
    ), waiting AS MATERIALIZED (
        SELECT o.outgoing_id FROM wanted w CROSS JOIN LATERAL (
            SELECT outgoing_id FROM outgoing
            WHERE organization_id = $1 AND inbox_id = $2 AND message_id = w.message_id
                AND sealed IS NULL AND raw IS NULL
            OFFSET 0) o
    ), queued AS (
        UPDATE outgoing o SET raw = (
            SELECT b.raw FROM message_bodies b
            WHERE b.organization_id = $1 AND b.inbox_id = $2 AND b.message_id = o.message_id)
        FROM waiting q WHERE o.organization_id = $1 AND o.outgoing_id = q.outgoing_id
    ), labels AS (
        DELETE FROM message_labels WHERE ctid = ANY(ARRAY(
            SELECT l.ctid
            FROM wanted w CROSS JOIN LATERAL unnest(w.labels) AS gone(label) CROSS JOIN LATERAL (
                SELECT ctid FROM message_labels
                WHERE organization_id = $1 AND inbox_id = $2 AND label = gone.label AND hidden = w.hidden
                    AND timestamp = w.timestamp AND message_id = w.message_id
                OFFSET 0) l))
    ), bodies AS (
        DELETE FROM message_bodies WHERE ctid = ANY(ARRAY(
            SELECT b.ctid FROM wanted w CROSS JOIN LATERAL (
                SELECT ctid FROM message_bodies
                WHERE organization_id = $1 AND inbox_id = $2 AND message_id = w.message_id OFFSET 0) b))
    ), calendar AS (
        DELETE FROM calendar_events e USING wanted w
        WHERE e.organization_id = $1 AND e.inbox_id = $2 AND e.origin_message_id = w.message_id
    ), notices AS (
        UPDATE events e SET body = body - '{event,previous}'::text[]
        FROM wanted w CROSS JOIN LATERAL (
            SELECT created_at, event_id FROM events
            WHERE organization_id = $1 AND inbox_id = $2 AND message_id = w.message_id AND event_type LIKE 'calendar.%'
            OFFSET 0) n
        WHERE e.organization_id = $1 AND e.created_at = n.created_at AND e.event_id = n.event_id
    ), items AS (
        DELETE FROM messages WHERE ctid = ANY(ARRAY(SELECT place FROM wanted)) RETURNING message_id
    )
    SELECT count(*) AS count FROM items";

/// Deletes messages and returns their number.
pub(crate) async fn delete_messages(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    inbox_id: &str,
    message_ids: &[&str],
) -> Result<usize, StoreError> {
    let mut deleted = 0;
    for batch in message_ids.chunks(BATCH) {
        let row = Sql::new(DELETE)
            .uuid(organization_id)
            .text(inbox_id)
            .texts(batch.iter().copied())
            .row::<CountRow>(connection)
            .await?;
        deleted += row.map_or(0, |row| usize::try_from(to_count(row.count)).unwrap_or(usize::MAX));
    }
    Ok(deleted)
}
