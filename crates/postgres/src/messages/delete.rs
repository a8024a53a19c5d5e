//! Deleting messages with all that belongs to them.

use diesel_async::AsyncPgConnection;
use inboxd_core::ports::StoreError;
use uuid::Uuid;

use crate::sql::Sql;
use crate::usage::{CountRow, to_count};

/// Mail that waits in the queue keeps its octets: they move there. All parts of a statement see the rows as they were
/// before it, so that the mail is still there to be moved.
const DELETE: &str = "
    WITH doomed AS (
        DELETE FROM messages
        WHERE organization_id = $1 AND inbox_id = $2 AND message_id = ANY($3)
        RETURNING message_id, labels, hidden, timestamp
    ), queued AS (
        UPDATE outgoing o SET raw = b.raw
        FROM message_bodies b
        WHERE o.organization_id = $1 AND o.inbox_id = $2 AND o.message_id = ANY($3) AND o.sealed IS NULL AND o.raw IS NULL
            AND b.organization_id = $1 AND b.inbox_id = $2 AND b.message_id = o.message_id
    ), labels AS (
        DELETE FROM message_labels l
        USING doomed d CROSS JOIN LATERAL unnest(d.labels) AS gone(label)
        WHERE l.organization_id = $1 AND l.inbox_id = $2 AND l.label = gone.label AND l.hidden = d.hidden
            AND l.timestamp = d.timestamp AND l.message_id = d.message_id
    ), bodies AS (
        DELETE FROM message_bodies b
        WHERE b.organization_id = $1 AND b.inbox_id = $2 AND b.message_id = ANY($3)
    )
    SELECT count(*) AS count FROM doomed";

/// Deletes messages and answers how many there were.
pub(crate) async fn delete_messages(
    connection: &mut AsyncPgConnection,
    organization_id: Uuid,
    inbox_id: &str,
    message_ids: &[&str],
) -> Result<usize, StoreError> {
    let row = Sql::new(DELETE)
        .uuid(organization_id)
        .text(inbox_id)
        .texts(message_ids.iter().copied())
        .row::<CountRow>(connection)
        .await?;
    Ok(row.map_or(0, |row| usize::try_from(to_count(row.count)).unwrap_or(usize::MAX)))
}
