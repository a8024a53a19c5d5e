//! Sizes of the queues.

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{BacklogReads, MAX_COUNTED_ROWS};

use crate::support::*;
use crate::walks::rows_read;

/// Inserts 30,000 outgoing messages, of which every thousandth is a code, and every third of the others held, and as many
/// rows of the other queues.
const LOAD: &str = "
    INSERT INTO outgoing (organization_id, outgoing_id, route, envelope_from, recipients, attempts, created_at, due_at,
        is_code, held_due_at)
    SELECT organization_id, md5(n::text)::uuid, CASE WHEN n % 2 = 0 THEN 'local' ELSE 'remote' END, 'a@x.example', '{}', 0,
        '2026-11-18 11:00Z'::timestamptz + n * interval '1 s',
        CASE WHEN n % 3 = 0 AND n % 1000 <> 0 THEN 'infinity' ELSE '2026-11-18 11:00Z'::timestamptz + n * interval '1 s' END,
        n % 1000 = 0, CASE WHEN n % 3 = 0 AND n % 1000 <> 0 THEN now() END
    FROM organizations, generate_series(1, 30000) n;
    INSERT INTO webhook_deliveries (organization_id, webhook_id, event_id, event_type, event_created_at, position, due_at)
    SELECT organization_id, md5((n % 7)::text)::uuid, md5(n::text)::uuid, 'message.received', now(), n, now()
    FROM organizations, generate_series(1, 30000) n;
    INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
    SELECT organization_id, inbox_id, 0, now(), n::text FROM inboxes, generate_series(1, 30000) n;
    ANALYZE;
";

#[tokio::test]
async fn queue_sizes_are_zero_without_work() {
    let world = world().await;
    let sizes = world.store.backlogs().await.unwrap();
    assert_eq!((sizes.codes.rows, sizes.remote_mail.rows, sizes.webhook_deliveries.rows), (0, 0, 0));
    assert_eq!((sizes.codes.oldest, sizes.unread_attachments.rows), (None, 0));
    assert!(sizes.event_weeks_ahead >= 7 && sizes.connections >= 1, "{sizes:?}");
}

#[tokio::test]
async fn queue_sizes_read_bounded_number_of_rows() {
    let world = world().await;
    let mut connection = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    connection.batch_execute(LOAD).await.unwrap();
    let sizes = world.store.backlogs().await.unwrap();
    let bound = u64::from(MAX_COUNTED_ROWS);
    assert_eq!(sizes.codes.rows, 30);
    assert_eq!(sizes.local_mail.rows + sizes.remote_mail.rows, bound);
    assert_eq!((sizes.held_mail.rows, sizes.webhook_deliveries.rows, sizes.unindexed_messages.rows), (0, bound, bound));
    let read = rows_read(&world, async |store| {
        store.backlogs().await.unwrap();
    })
    .await;
    assert!(read < 5 * i64::from(MAX_COUNTED_ROWS), "{read}");
}
