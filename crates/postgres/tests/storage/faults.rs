//! Faults of the server and of single rows: their classification and their isolation.

use std::time::{Duration, Instant};

use inboxd_core::model::feed::{FeedPosition, FeedSelection};
use inboxd_core::model::page::PageRequest;
use inboxd_core::model::{ApiKey, Event, EventBody, EventType, HidingLabels, NewMail, Reach};
use inboxd_core::ports::{ApiKeyReads, EventQuery, EventReads, FeedQuery, FeedReads, Store, StoreError};
use inboxd_postgres::connect_within;
use inboxd_testkit::TcpProxy;
use uuid::Uuid;

use crate::support::*;
use crate::walks::rows_read;

/// Makes every insertion into a table fail.
async fn fail_inserts(world: &World, table: &str, code: &str, text: &str) {
    let refusing = format!(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
        $$ BEGIN RAISE EXCEPTION '{text}' USING ERRCODE = '{code}'; END $$; \
        CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
    );
    world.database.execute(&refusing).await;
}

async fn deliver_one(world: &World) -> Result<(), StoreError> {
    let mail = NewMail { messages: vec![world.mail(1)], ..NewMail::default() };
    world.store.begin().await.unwrap().commit_with(&mail).await
}

#[tokio::test]
async fn error_codes_classify_independent_of_text() {
    let world = world().await;
    for code in ["53100", "53200", "53300", "57P01", "57P02", "57P03", "57014", "25006", "25P03", "08006"] {
        fail_inserts(&world, "messages", code, "some words").await;
        let refused = deliver_one(&world).await;
        assert!(matches!(&refused, Err(StoreError::Unavailable(text)) if text.contains(code)), "{code}: {refused:?}");
    }
    let kinds =
        [("40001", StoreError::Contention), ("40P01", StoreError::Contention), ("55P03", StoreError::LockTimeout)];
    for (code, kind) in kinds {
        fail_inserts(&world, "messages", code, "some words").await;
        assert_eq!(deliver_one(&world).await, Err(kind), "{code}");
    }
    for text in ["deadlock detected", "the database system is starting up", "53100: disk full"] {
        fail_inserts(&world, "messages", "XX000", text).await;
        let refused = deliver_one(&world).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{text}: {refused:?}");
    }
}

/// Fails writes to the tables that are created later, like a full disk.
const REFUSE_TABLES: &str = "CREATE FUNCTION refuse_tables() RETURNS event_trigger LANGUAGE plpgsql AS \
    $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$; \
    CREATE EVENT TRIGGER refuse_tables ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') \
    EXECUTE FUNCTION refuse_tables()";

#[tokio::test]
async fn store_is_unready_from_failed_write_until_space_is_free() {
    let world = world().await;
    assert_eq!(world.store.ready().await, Ok(()));
    world.database.execute(REFUSE_TABLES).await;
    assert_eq!(world.store.ready().await, Ok(()), "no check while writes succeed");
    fail_inserts(&world, "messages", "53100", "no space").await;
    deliver_one(&world).await.unwrap_err();
    let unready = world.store.ready().await;
    assert!(matches!(&unready, Err(StoreError::Unavailable(text)) if text.contains("53100")), "{unready:?}");
    assert!(world.store.ready().await.is_err(), "the store stays unready");
    world.database.execute("DROP EVENT TRIGGER refuse_tables").await;
    assert_eq!(world.store.ready().await, Ok(()));
}

#[tokio::test]
async fn silent_server_is_unavailable_until_it_responds() {
    let world = world().await;
    let proxy = TcpProxy::start(&world.database.url()).await;
    let store = connect_within(&proxy.url(), 2, Duration::from_secs(1)).await.unwrap();
    assert_eq!(store.ready().await, Ok(()));
    proxy.stop_forwarding();
    let began = Instant::now();
    let refused = store.ready().await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let refused = store.credential(&[1; 32]).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    proxy.resume_forwarding();
    assert_eq!(store.ready().await, Ok(()), "the broken connections are closed");
    assert_eq!(store.credential(&[1; 32]).await.unwrap(), None);
}

async fn add_key(world: &World, number: u8) {
    let mut tx = world.begin().await;
    let key = ApiKey {
        organization_id: world.organization_id(),
        api_key_id: Uuid::from_u128(number.into()).into(),
        prefix: "am_".to_owned(),
        name: "key".to_owned(),
        reach: Reach::Organization,
        member_id: None,
        connection_id: None,
        permissions: None,
        expires_at: None,
        used_at: None,
        created_at: at(0),
        updated_at: at(0),
    };
    tx.api_keys().insert(&key, &[number; 32]).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn unreadable_key_refuses_only_its_holder() {
    let world = world().await;
    for number in 1..=4 {
        add_key(&world, number).await;
    }
    let corrupt = format!("UPDATE api_keys SET permissions = '7' WHERE api_key_id = '{}'", Uuid::from_u128(2));
    world.database.execute(&corrupt).await;
    // Several concurrent rounds share statements.
    let asked = (0..64).map(|round| {
        let (store, number) = (world.store.clone(), round % 4 + 1);
        tokio::spawn(async move { (number, store.credential(&[number; 32]).await) })
    });
    for asked in asked.collect::<Vec<_>>() {
        let (number, found) = asked.await.unwrap();
        match found {
            Ok(found) => assert!(found.is_some() && number != 2, "{number}"),
            Err(error) => assert!(matches!(error, StoreError::Failed(_)) && number == 2, "{number}: {error}"),
        }
    }
    let hashes = [1, 2, 3].map(|number| [number; 32]);
    let found = world.store.credentials(&hashes).await.unwrap();
    let mut readable: Vec<u8> = found.iter().map(|(hash, _)| hash[0]).collect();
    readable.sort_unstable();
    assert_eq!(readable, [1, 3]);
}

/// Inserts four received mails with their events.
async fn with_events() -> World {
    let world = world().await;
    for number in 1..=4 {
        let mail = world.mail(number);
        world.deliver(&mail).await;
        let event = Event {
            event_id: Uuid::from_u128(u128::try_from(number).unwrap()).into(),
            event_type: EventType::MessageReceived,
            organization_id: world.organization_id(),
            pod_id: Some(world.inbox.pod_id),
            inbox_id: Some(world.inbox.inbox_id.clone()),
            thread_id: Some(thread_id(number)),
            message_id: Some(message_id(&number.to_string())),
            body: EventBody::Received { verdict: None },
            created_at: at(number),
            traceparent: None,
        };
        let mail = NewMail { events: vec![event], ..NewMail::default() };
        world.begin().await.commit_with(&mail).await.unwrap();
    }
    world
}

/// Reads the whole feed with mail.
fn whole_feed(world: &World) -> FeedQuery {
    FeedQuery {
        organization_id: world.organization_id(),
        after: FeedPosition::START,
        selection: FeedSelection::default(),
        limit: 100,
        most: 1000,
        with_mail: true,
        readable: HidingLabels::ALL,
        largest_body: 1000,
    }
}

/// Returns the numbers of the events in the feed, and whether each includes its mail.
async fn feed(world: &World) -> Vec<(u128, bool)> {
    let page = world.store.read_feed(&whole_feed(world)).await.unwrap();
    let shown =
        page.events.iter().map(|(_, event)| (event.record.event.event_id.0.as_u128(), event.record.mail.is_some()));
    shown.collect()
}

#[tokio::test]
async fn feed_continues_after_unreadable_rows() {
    let world = with_events().await;
    assert_eq!(feed(&world).await, [(1, true), (2, true), (3, true), (4, true)]);
    let message = "UPDATE messages SET attachments = '7' WHERE message_id = '<2@example.org>'";
    world.database.execute(message).await;
    let event = format!("UPDATE events SET body = '7' WHERE event_id = '{}'", Uuid::from_u128(3));
    world.database.execute(&event).await;
    assert_eq!(feed(&world).await, [(1, true), (2, false), (4, true)]);

    let query = EventQuery {
        organization_id: world.organization_id(),
        pod_id: None,
        inbox_id: None,
        event_types: vec![],
        trust: Vec::new(),
        start: at(-1000),
        end: at(1000),
        with_mail: true,
        readable: HidingLabels::ALL,
        largest_body: 1000,
        page: PageRequest { limit: 2, ..PageRequest::default() },
    };
    let page = world.store.list_events(&query).await.unwrap();
    assert_eq!(page.items.iter().map(|item| item.record.event.event_id.0.as_u128()).collect::<Vec<_>>(), [4]);
    let next = PageRequest { after: page.next, ..query.page.clone() };
    let page = world.store.list_events(&EventQuery { page: next, ..query }).await.unwrap();
    assert_eq!(page.items.iter().map(|item| item.record.event.event_id.0.as_u128()).collect::<Vec<_>>(), [2, 1]);
}

/// Inserts five thousand messages with bodies and threads, without planner statistics.
const UNANALYZED: &str = "
    ALTER TABLE messages SET (autovacuum_enabled = off); ALTER TABLE message_bodies SET (autovacuum_enabled = off);
    ALTER TABLE threads SET (autovacuum_enabled = off);
    INSERT INTO messages
    SELECT i.organization_id, i.inbox_id, '<' || n || '@x>', md5(n::text)::uuid, ARRAY['received'], 0,
        '2026-11-18 11:06:40Z'::timestamptz + n * interval '1 ms', 'Anna <a@example.org>', ARRAY[i.inbox_id], '{}', '{}', '{}',
        'subject', 'preview', '[]', NULL, '{}', 100, NULL, NULL, NULL, now(), now()
    FROM inboxes i, generate_series(1, 5000) n;
    INSERT INTO message_bodies (organization_id, inbox_id, message_id, search_text, folded_from, folded_to, folded_subject,
        body, body_bytes)
    SELECT organization_id, inbox_id, message_id, 'some text', 'anna <a@example.org>', to_, 'subject', plain_body('text'), 6
    FROM messages WHERE message_id LIKE '%@x>';
    INSERT INTO threads
    SELECT organization_id, inbox_id, thread_id, labels, timestamp, NULL, NULL, to_, to_, NULL, NULL, '[]', message_id, 1,
        100, 1 << hidden, hidden = 0, NULL, NULL, to_, to_, '', now(), now() FROM messages WHERE message_id LIKE '%@x>'";

#[tokio::test]
async fn feed_page_without_statistics_reads_few_rows() {
    let world = with_events().await;
    world.database.execute(&format!("{PLAIN_BODY}; {UNANALYZED}")).await;
    let query = whole_feed(&world);
    let read = rows_read(&world, async |store| {
        assert_eq!(store.read_feed(&query).await.unwrap().events.len(), 4);
    })
    .await;
    assert!(read < 200, "{read}");
}
