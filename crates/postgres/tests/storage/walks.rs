//! Row counts of list queries: they walk an index, stop at a full page and read few rows in any inbox.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_core::model::page::{Cursor, Direction, PageRequest};
use inboxd_core::model::{HidingLabels, ListDirection, ListKey, ListLevel, ListType, Scope};
use inboxd_core::ports::{
    ArrivalQuery, ContactQuery, ContactReads, EventQuery, EventReads, ExcerptQuery, IndexedInbox, ListReads,
    MessageKey, MessageQuery, MessageReads, RecipientPolicyQuery, SearchIndex, Store, SuppressionQuery,
    SuppressionReads, ThreadQuery, ThreadReads, WordSearch, WordSearchReads,
};
use inboxd_postgres::{PgStore, connect};
use inboxd_testkit::eventually;
use uuid::Uuid;

use crate::support::*;
use crate::word_search::words;

/// Inserts 20,000 messages with a thread and an event each.
///
/// One in twenty is visible and the others are spam. Two have the label `rare` and a recipient address with a tag.
/// Plans are generic, as for frequent statements.
const LOAD: &str = "
    INSERT INTO messages
    SELECT i.organization_id, i.inbox_id, '<' || n || '@x>', md5(n::text)::uuid, l.labels, (n % 20 <> 0)::int,
        '2026-11-18 11:06:40Z'::timestamptz + n * interval '1 ms', 'Anna <a@example.org>', ARRAY[i.inbox_id], '{}', '{}', '{}',
        'subject', 'preview', '[]', NULL, '{}', 100, NULL, NULL, NULL, now(), now(),
        CASE WHEN n IN (20, 40) THEN 'other+tag@x.example' ELSE i.inbox_id END, CASE WHEN n IN (20, 40) THEN 'tag' END
    FROM inboxes i, generate_series(1, 20000) n, LATERAL (
        SELECT ARRAY['received', 'unread'] || CASE WHEN n % 20 <> 0 THEN ARRAY['spam'] ELSE '{}' END
            || CASE WHEN n IN (20, 40) THEN ARRAY['rare'] ELSE '{}' END) l(labels);
    INSERT INTO message_labels
    SELECT organization_id, inbox_id, label, hidden, timestamp, message_id FROM messages, unnest(labels) label;
    INSERT INTO message_bodies (organization_id, inbox_id, message_id, search_text, folded_from, folded_to, folded_subject,
        body, body_bytes)
    SELECT organization_id, inbox_id, message_id, 'some text', 'anna <a@example.org>', to_, 'subject', plain_body('text'), 6
    FROM messages;
    INSERT INTO search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
    SELECT organization_id, inbox_id, hidden, timestamp, message_id FROM messages WHERE hidden = 0;
    INSERT INTO threads
    SELECT organization_id, inbox_id, thread_id, labels, timestamp, NULL, NULL, to_, to_, NULL, NULL, '[]', message_id, 1,
        100, 1 << hidden, hidden = 0, NULL, NULL, to_, to_, '', now(), now() FROM messages;
    INSERT INTO thread_labels
    SELECT organization_id, inbox_id, label, visible, timestamp, thread_id FROM threads, unnest(labels) label;
    INSERT INTO events
    SELECT organization_id, timestamp, thread_id, 'message.rejected', thread_id, inbox_id, thread_id, message_id,
        '{\"body\": \"reject\", \"reason\": \"\"}' FROM messages;
    INSERT INTO list_entries
    SELECT organization_id, '', direction, 'block', 'n' || n || '.example', NULL, now()
    FROM organizations, generate_series(1, 20000) n, unnest(ARRAY['send', 'receive']) direction;
    INSERT INTO suppressions
    SELECT organization_id, 'n' || n || '@gone.example', 'bounce', now() FROM organizations, generate_series(1, 20000) n;
    INSERT INTO contacts
    SELECT organization_id, inbox_id, 'n' || n || '@x.example', NULL, NULL, 1, 0, 0, now(), NULL, NULL,
        '2026-11-18 11:06:40Z'::timestamptz + n * interval '1 ms', now()
    FROM inboxes, generate_series(1, 20000) n;
    ANALYZE;
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database());
    END $$;
";

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Returns the number of rows that a query reads on a separate connection.
pub(super) async fn rows_read(world: &World, question: impl AsyncFnOnce(&PgStore)) -> i64 {
    read_apart(world, "<> 'inboxes'", question).await
}

/// Returns the number of rows of a table, at least one, that a query reads on a separate connection.
pub(super) async fn rows_read_of(world: &World, table: &str, question: impl AsyncFnOnce(&PgStore)) -> i64 {
    read_apart(world, &format!("= '{table}'"), question).await
}

/// Returns the number of pages, at least one, that a query reads on a separate connection of the long values that a table
/// stores beside its rows.
pub(super) async fn long_value_pages_read_of(world: &World, table: &str, question: impl AsyncFnOnce(&PgStore)) -> i64 {
    let pages = format!(
        "SELECT coalesce(sum(toast_blks_read + toast_blks_hit), 0)::bigint AS count FROM pg_statio_user_tables
        WHERE relname = '{table}'"
    );
    count_apart(world, &pages, question).await
}

async fn read_apart(world: &World, tables: &str, question: impl AsyncFnOnce(&PgStore)) -> i64 {
    count_apart(world, &rows_of(tables), question).await
}

/// Returns the result of a statement on the statistics after a query on a separate connection.
async fn count_apart(world: &World, statistics: &str, question: impl AsyncFnOnce(&PgStore)) -> i64 {
    let mut observer = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    let store = connect(&world.database.url(), 1).await.unwrap();
    observer.batch_execute("SELECT pg_stat_reset()").await.unwrap();
    question(&store).await;
    // A connection reports its statistics at its end at the latest.
    drop(store);
    reported(&mut observer, statistics).await
}

/// Returns the number of rows that ended connections have read since the reset of the statistics.
pub(super) async fn reported_rows(observer: &mut AsyncPgConnection) -> i64 {
    reported(observer, &rows_of("<> 'inboxes'")).await
}

fn rows_of(tables: &str) -> String {
    format!(
        "SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE relname {tables})::bigint
            + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE relname {tables})::bigint AS count"
    )
}

async fn reported(observer: &mut AsyncPgConnection, statistics: &str) -> i64 {
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let count: Count = diesel::sql_query(statistics).get_result(observer).await.unwrap();
        if count.count > 0 {
            return count.count;
        }
    }
    panic!("the database did not report what it read");
}

/// Removes the dead entries of the index backlog, which all queries would skip until a vacuum removes them.
async fn clean(connection: &mut AsyncPgConnection) {
    eventually("the index backlog is empty", async || {
        connection.batch_execute("VACUUM search_pending").await.unwrap();
        let bytes = diesel::sql_query("SELECT pg_relation_size('search_pending') AS count");
        (bytes.get_result::<Count>(connection).await.unwrap().count == 0).then_some(())
    })
    .await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one line per list")]
async fn lists_read_few_rows_of_full_inbox() {
    let world = world().await;
    let mut connection = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    connection.batch_execute(&format!("{PLAIN_BODY}; {LOAD}")).await.unwrap();
    let inbox = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
    for number in 0.. {
        if !world.store.index_some(&inbox, Uuid::from_u128(number)).await.unwrap() {
            break;
        }
    }
    clean(&mut connection).await;
    let page = PageRequest { limit: 20, ..PageRequest::default() };
    let after = Some(Cursor { time: at(9_000), id: "<1@x>".to_owned() });
    let second_page = PageRequest { after, ..page.clone() };
    let bound = 120;

    let messages = || MessageQuery { page: page.clone(), ..world.messages() };
    let labelled = |labels: &[&str]| MessageQuery { labels: strings(labels), ..messages() };
    for (query, found) in [
        (messages(), 20),
        (MessageQuery { page: second_page.clone(), ..messages() }, 20),
        (labelled(&["unread"]), 20),
        (labelled(&["rare"]), 2),
        (labelled(&["received", "rare"]), 2),
        (labelled(&["nothing"]), 0),
        (MessageQuery { search: Some("text".to_owned()), ..messages() }, 20),
        (MessageQuery { search: Some("text".to_owned()), page: second_page.clone(), ..messages() }, 20),
        (MessageQuery { search: Some("t".to_owned()), ..messages() }, 20),
        (MessageQuery { search: Some("nowhere".to_owned()), ..messages() }, 0),
        (MessageQuery { from: strings(&["anna"]), ..labelled(&["rare"]) }, 2),
        (MessageQuery { tag: Some("tag".to_owned()), ..messages() }, 2),
        (MessageQuery { tag: Some("nothing".to_owned()), ..messages() }, 0),
        (MessageQuery { tag: Some("tag".to_owned()), ..labelled(&["unread"]) }, 2),
        (MessageQuery { tag: Some("tag".to_owned()), search: Some("text".to_owned()), ..messages() }, 2),
        (MessageQuery { delivered_to: Some("other+tag@x.example".to_owned()), ..messages() }, 2),
        (MessageQuery { delivered_to: Some(world.inbox_id().as_str().to_owned()), ..messages() }, 20),
    ] {
        let read = rows_read(&world, async |store| {
            assert_eq!(store.list_messages(&query).await.unwrap().items.len(), found, "{query:?}");
            // At least one row, so that there is a report.
            store.raw_message(query.organization_id, &query.inbox_id, &first(), query.included).await.unwrap().unwrap();
        });
        // Each candidate also counts with its index entry, and there are more candidates than rows on the page.
        let bound = if query.search.is_some() { 2 * bound } else { bound };
        assert_bounded(read.await, bound, &query);
    }

    let threads = || ThreadQuery { page: page.clone(), ..world.threads() };
    let labelled = |labels: &[&str]| ThreadQuery { labels: strings(labels), ..threads() };
    for (query, found) in [
        (threads(), 20),
        (ThreadQuery { page: second_page.clone(), ..threads() }, 20),
        (labelled(&["unread"]), 20),
        (labelled(&["received", "rare"]), 2),
        (ThreadQuery { search: Some("text".to_owned()), ..threads() }, 20),
        (ThreadQuery { scope: Scope::Organization, ..threads() }, 20),
        (ThreadQuery { scope: Scope::Organization, page: second_page.clone(), ..threads() }, 20),
        (ThreadQuery { scope: Scope::Organization, ..labelled(&["rare"]) }, 2),
        (ThreadQuery { scope: Scope::Pod(world.inbox.pod_id), ..threads() }, 20),
    ] {
        let read = rows_read(&world, async |store| {
            assert_eq!(store.list_threads(&query).await.unwrap().items.len(), found, "{query:?}");
        });
        assert_bounded(read.await, bound, &query);
    }

    for (query, found) in [("tex", 20), ("\"text\" from:anna", 20), ("tex -text", 0), ("nowhere", 0)] {
        let scopes = [Scope::Inbox(world.inbox_id().clone()), Scope::Organization];
        for search in scopes.map(|scope| WordSearch { scope, page: page.clone(), ..words(&world, query) }) {
            let read = rows_read(&world, async |store| {
                assert_eq!(store.search_messages(&search).await.unwrap().unwrap().items.len(), found, "{query}");
            });
            // A term that excludes everything reads all 1,000 visible messages, with their bodies.
            let bound = if query.contains('-') { 8_000 } else { 3 * bound };
            assert_bounded(read.await, bound, &search);
            let read = rows_read(&world, async |store| {
                assert_eq!(store.search_threads(&search).await.unwrap().unwrap().items.len(), found, "{query}");
            });
            assert_bounded(read.await, bound, &search);
        }
    }

    let levels = ListLevel::reaching(world.inbox.pod_id, world.inbox_id());
    let excerpts = ExcerptQuery {
        levels: levels.map(|level| (world.organization_id(), level)).to_vec(),
        directions: vec![ListDirection::Receive, ListDirection::Reply],
        names: strings(&["a@x.n7.example", "x.n7.example", "n7.example", "example"]),
    };
    let policy = RecipientPolicyQuery {
        organization_id: world.organization_id(),
        recipients: vec!["a@x.n7.example".parse().unwrap()],
        outside: Vec::new(),
        lists: excerpts.clone(),
    };
    let read = rows_read(&world, async |store| {
        assert_eq!(store.recipient_policy(&policy).await.unwrap().excerpts[0].entries.len(), 1);
    });
    assert_bounded(read.await, bound, &excerpts);
    let list = ListKey {
        organization_id: world.organization_id(),
        level: ListLevel::Organization,
        direction: ListDirection::Send,
        list_type: ListType::Block,
    };
    let after = Some(Cursor { time: at(0), id: "n5".to_owned() });
    let ascending = PageRequest { after, direction: Direction::Ascending, ..page.clone() };
    let read = rows_read(&world, async |store| {
        assert_eq!(store.list_entries(&list, &ascending).await.unwrap().items.len(), 20);
        let found = store.suppressions_by_address(world.organization_id(), &ascending).await.unwrap();
        assert_eq!(found.items.len(), 20);
        let query = SuppressionQuery { organization_id: world.organization_id(), page: page.clone() };
        assert_eq!(store.list_suppressions(&query).await.unwrap().items.len(), 20);
    });
    assert_bounded(read.await, bound, &list);

    let contacts = ContactQuery {
        organization_id: world.organization_id(),
        inbox_id: world.inbox_id().clone(),
        page: second_page.clone(),
    };
    let read = rows_read(&world, async |store| {
        let page = store.list_contacts(&contacts).await.unwrap();
        assert_eq!(page.items.len(), 20);
        assert_eq!(store.contact(&page.items[0].key()).await.unwrap().as_ref(), Some(&page.items[0]));
    });
    assert_bounded(read.await, 22, &contacts);

    let events = EventQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        event_types: vec![],
        trust: Vec::new(),
        start: at(0),
        end: at(30_000),
        readable: inboxd_core::model::HidingLabels::NONE,
        with_mail: true,
        largest_body: 1,
        page,
    };
    for query in [events.clone(), EventQuery { inbox_id: Some(world.inbox_id().clone()), page: second_page, ..events }]
    {
        let read = rows_read(&world, async |store| {
            assert_eq!(store.list_events(&query).await.unwrap().items.len(), 20, "{query:?}");
        });
        assert_bounded(read.await, bound, &query);
    }
    crate::trace::assert_few_rows_read(&world).await;
}

fn first() -> inboxd_core::model::MessageId {
    inboxd_core::model::MessageId::stored("<20@x>".to_owned())
}

fn assert_bounded(read: i64, bound: i64, query: &impl std::fmt::Debug) {
    assert!(read <= bound, "{read} rows were read for a page of 20: {query:?}");
}

/// Returns the number of index walks over messages and threads, and of skipped rows.
const WALKS: &str = "SELECT coalesce(sum(idx_scan) FILTER (WHERE relname IN ('messages', 'threads')
        AND indexrelname NOT IN ('messages_pkey', 'messages_by_header', 'threads_pkey', 'threads_by_id')), 0)::bigint
    + coalesce(sum(idx_tup_read) FILTER (WHERE indexrelname IN ('messages_pkey', 'threads_pkey', 'threads_by_id')), 0)::bigint AS count
    FROM pg_stat_user_indexes";

#[tokio::test]
async fn messages_and_threads_are_found_by_id_with_any_index_shapes() {
    let world = world().await;
    let mut observer = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    // As before the first analysis of the table. The primary key gains levels earlier than other indexes, because its
    // entries arrive in random order. A scan of a table of few pages is a good plan and no walk.
    for table in ["messages", "threads"] {
        observer.batch_execute(&format!("ALTER TABLE {table} SET (autovacuum_enabled = false)")).await.unwrap();
    }
    for step in 0..40 {
        let load = format!(
            "INSERT INTO messages
            SELECT organization_id, inbox_id, md5(n::text) || md5((-n)::text), gen_random_uuid(), '{{}}', 0,
                now() + n * interval '1 ms', 'a', '{{}}', '{{}}', '{{}}', '{{}}', NULL, NULL, '[]', NULL, '{{}}', 1, NULL, NULL,
                NULL, now(), now()
            FROM inboxes, generate_series({step} * 150, {step} * 150 + 149) n;
            INSERT INTO threads (organization_id, inbox_id, thread_id, labels, timestamp, senders, recipients, attachments,
                last_message_id, message_count, size, hidden_sets, visible, folded_senders, folded_recipients, folded_subject,
                created_at, updated_at)
            SELECT organization_id, inbox_id, gen_random_uuid(), '{{}}', now() + n * interval '1 ms', '{{}}', '{{}}', '[]', 'a',
                1, 1, 1, true, '{{}}', '{{}}', '', now(), now()
            FROM inboxes, generate_series({step} * 150, {step} * 150 + 149) n"
        );
        observer.batch_execute(&load).await.unwrap();
        let store = connect(&world.database.url(), 1).await.unwrap();
        let id = message_id("nowhere");
        assert_eq!(
            store.message(world.organization_id(), world.inbox_id(), &id, HidingLabels::ALL).await.unwrap(),
            None
        );
        let mut tx = store.begin().await.unwrap();
        let inboxes = vec![destination(&world.inbox)];
        let key = MessageKey {
            organization_id: world.organization_id(),
            inbox_id: world.inbox_id().clone(),
            message_id: id.clone(),
        };
        let lists = ExcerptQuery { levels: vec![], directions: vec![], names: vec![] };
        tx.inbound()
            .look_up(&ArrivalQuery { inboxes, messages: vec![key], lists, contacts: vec![], acquainted: vec![] })
            .await
            .unwrap();
        let ids = [id, message_id("neither")];
        assert_eq!(tx.messages().items(world.organization_id(), world.inbox_id(), &ids).await.unwrap(), []);
        assert_eq!(
            tx.threads().lock(world.organization_id(), world.inbox_id(), &[thread_id(1), thread_id(2)]).await.unwrap(),
            []
        );
    }
    let walks: Count = diesel::sql_query(WALKS).get_result(&mut observer).await.unwrap();
    assert_eq!(walks.count, 0);
    // A query that walks is counted after its connection has ended.
    let store = connect(&world.database.url(), 1).await.unwrap();
    store.list_messages(&world.messages()).await.unwrap();
    drop(store);
    eventually("the walk is counted", async || {
        let walks: Count = diesel::sql_query(WALKS).get_result(&mut observer).await.unwrap();
        (walks.count == 1).then_some(())
    })
    .await;
    // Scans of both tables at all steps would read 123,000 rows for each statement.
    let scanned = "SELECT coalesce(sum(seq_tup_read), 0)::bigint AS count FROM pg_stat_user_tables
        WHERE relname IN ('messages', 'threads')";
    let scanned: Count = diesel::sql_query(scanned).get_result(&mut observer).await.unwrap();
    assert!(scanned.count < 20_000, "{} rows were scanned", scanned.count);
}
