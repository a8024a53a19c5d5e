//! Deletion of messages with all dependent rows.

use std::sync::LazyLock;

use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use super::redact::clear_late_calendar;
use super::rows::BY_IDS;
use crate::scalar_rows::CountRow;
use crate::sql::Sql;
use crate::usage::to_count;

/// Messages per statement, few enough that it is short for any total.
const BATCH: usize = 500;

/// Queued mail retains its content: the frame with its raw mail moves to the queue, or its object stays. All parts of a
/// statement see the rows before it, so the content can still be moved.
///
/// `wanted` and `label_rows` have the whole key of each dependent row, so each is found by one lookup. A concurrent claim moves a row of
/// the queue; the update waits for the claim and follows the row. A message with other labels than those read, whose
/// rows would remain, is not deleted: the count of messages is checked. The other rows never change.
static DELETE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "
    WITH wanted AS MATERIALIZED (
        SELECT m.organization_id, m.inbox_id, m.message_id, m.labels, m.hidden, m.timestamp FROM {BY_IDS}
    ), queued AS (
        UPDATE outgoing o SET (raw, blob_id) = (
            SELECT CASE WHEN b.blob_id IS NULL THEN coalesce(b.large_raw, b.body) END, b.blob_id FROM message_bodies b
            WHERE b.organization_id = $1 AND b.inbox_id = $2 AND b.message_id = o.message_id)
        FROM wanted w
        WHERE o.organization_id = w.organization_id AND o.inbox_id = w.inbox_id AND o.message_id = w.message_id
            AND o.sealed IS NULL AND o.raw IS NULL
    ), label_rows AS MATERIALIZED (
        SELECT w.organization_id, w.inbox_id, gone.label, w.hidden, w.timestamp, w.message_id
        FROM wanted w CROSS JOIN LATERAL unnest(w.labels) AS gone(label)
    ), labels AS (
        DELETE FROM message_labels l USING label_rows r
        WHERE l.organization_id = r.organization_id AND l.inbox_id = r.inbox_id AND l.label = r.label
            AND l.hidden = r.hidden AND l.timestamp = r.timestamp AND l.message_id = r.message_id
    ), bodies AS (
        DELETE FROM message_bodies b USING wanted w
        WHERE b.organization_id = w.organization_id AND b.inbox_id = w.inbox_id AND b.message_id = w.message_id
    ), calendar AS (
        DELETE FROM calendar_events e USING wanted w
        WHERE e.organization_id = $1 AND e.inbox_id = $2 AND e.origin_message_id = w.message_id
    ), notices AS (
        UPDATE events e SET body = body - '{{event,previous}}'::text[]
        FROM wanted w
        WHERE e.organization_id = w.organization_id AND e.inbox_id = w.inbox_id AND e.message_id = w.message_id
            AND e.event_type LIKE 'calendar.%'
    ), items AS (
        DELETE FROM messages m USING wanted w
        WHERE m.organization_id = w.organization_id AND m.inbox_id = w.inbox_id AND m.message_id = w.message_id
            AND m.labels = w.labels
        RETURNING m.message_id
    )
    SELECT count(*) AS count FROM items"
    )
});

/// Deletes messages and returns their number.
pub(crate) async fn delete_messages(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    inbox_id: &str,
    message_ids: &[&str],
) -> Result<usize, StoreError> {
    let mut deleted = 0;
    for batch in message_ids.chunks(BATCH) {
        let row = Sql::new(DELETE.as_str())
            .uuid(organization_id)
            .text(inbox_id)
            .texts(batch.iter().copied())
            .row::<CountRow>(connection)
            .await?;
        deleted += row.map_or(0, |row| usize::try_from(to_count(row.count)).unwrap_or(usize::MAX));
        clear_late_calendar(connection, organization_id, inbox_id, batch).await?;
    }
    Ok(deleted)
}
