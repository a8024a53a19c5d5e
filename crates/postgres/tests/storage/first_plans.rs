//! Row counts of statements that a connection planned for an almost empty database.

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::model::HidingLabels;
use inboxd_core::model::page::PageRequest;
use inboxd_core::ports::{MessageQuery, MessageReads, ThreadQuery, ThreadReads};
use inboxd_postgres::{PgStore, connect};

use crate::support::*;
use crate::walks::reported_rows;

/// Tables that grow. They are not analyzed again, so that the plans stay.
const TABLES: [&str; 4] = ["messages", "message_labels", "threads", "thread_labels"];

/// Messages at the end.
const MESSAGES: i32 = 5_000;
/// Rows that two passes of the statements may read, far less than a scan of any of the tables does.
const MAX_ROWS: i64 = 1_000;

/// Inserts unread messages with these numbers, and a thread of each. It reads no table that counts.
fn load(first: i32, last: i32) -> String {
    format!(
        "CREATE TEMP TABLE given AS SELECT organization_id, inbox_id, '<' || n || '@x>' AS message_id,
            md5(n::text)::uuid AS thread_id, '2026-11-18 11:06:40Z'::timestamptz + n * interval '1 ms' AS timestamp
        FROM inboxes, generate_series({first}, {last}) n;
        INSERT INTO messages
        SELECT organization_id, inbox_id, message_id, thread_id, ARRAY['received', 'unread'], 0, timestamp,
            'Anna <a@example.org>', ARRAY[inbox_id], '{{}}', '{{}}', '{{}}', 'subject', 'preview', '[]', NULL, '{{}}', 100, NULL, NULL,
            NULL, now(), now(), inbox_id, NULL FROM given;
        INSERT INTO message_labels
        SELECT organization_id, inbox_id, label, 0, timestamp, message_id FROM given, unnest(ARRAY['received', 'unread']) label;
        INSERT INTO threads
        SELECT organization_id, inbox_id, thread_id, ARRAY['received', 'unread'], timestamp, NULL, NULL, ARRAY['a'], ARRAY['b'],
            NULL, NULL, '[]', message_id, 1, 100, 1, true, NULL, NULL, ARRAY['a'], ARRAY['b'], '', now(), now() FROM given;
        INSERT INTO thread_labels
        SELECT organization_id, inbox_id, label, true, timestamp, thread_id FROM given, unnest(ARRAY['received', 'unread']) label;
        DROP TABLE given;"
    )
}

/// Reads a page of each list, and looks a message up by its id.
async fn read(world: &World, store: &PgStore) {
    let page = PageRequest { limit: 20, ..PageRequest::default() };
    for labels in [Vec::new(), strings(&["unread"])] {
        let messages = MessageQuery { labels: labels.clone(), page: page.clone(), ..world.messages() };
        assert_eq!(store.list_messages(&messages).await.unwrap().items.len(), 20);
        let threads = ThreadQuery { labels, page: page.clone(), ..world.threads() };
        assert_eq!(store.list_threads(&threads).await.unwrap().items.len(), 20);
    }
    let id = message_id("nowhere");
    let found = store.message(world.organization_id(), world.inbox_id(), &id, HidingLabels::ALL).await.unwrap();
    assert_eq!(found, None);
}

/// Fills the database behind the plans of a connection, and returns the rows that its statements read then.
async fn rows_read_later(is_analyzed: bool) -> i64 {
    let world = world().await;
    let mut observer = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    for table in TABLES {
        observer.batch_execute(&format!("ALTER TABLE {table} SET (autovacuum_enabled = false)")).await.unwrap();
    }
    observer.batch_execute(&load(1, 100)).await.unwrap();
    if is_analyzed {
        observer.batch_execute(&format!("ANALYZE {}", TABLES.join(", "))).await.unwrap();
    }
    let store = connect(&world.database.url(), 1).await.unwrap();
    read(&world, &store).await;
    observer.batch_execute(&load(101, MESSAGES)).await.unwrap();
    observer.batch_execute("SELECT pg_stat_reset()").await.unwrap();
    read(&world, &store).await;
    drop(store);
    reported_rows(&mut observer).await
}

#[tokio::test]
async fn plans_with_statistics_of_almost_empty_tables_read_few_rows_later() {
    let read = rows_read_later(true).await;
    // A lookup by id may scan a table once, which the next analysis ends; no statement scans one for each row of a list.
    assert!(read < i64::from(MESSAGES) + MAX_ROWS, "{read} rows were read");
}

#[tokio::test]
async fn plans_without_statistics_read_few_rows_later() {
    let read = rows_read_later(false).await;
    assert!(read < MAX_ROWS, "{read} rows were read");
}
