//! Search index.

use inboxd_core::model::{NewMail, NewMessage};
use inboxd_core::ports::{IndexBacklog, IndexedInbox, MessageQuery, MessageReads, SearchIndex};
use inboxd_testkit::eventually;
use uuid::Uuid;

use crate::support::*;

fn indexed(world: &World) -> IndexedInbox {
    IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() }
}

fn saying(world: &World, number: i64, text: &str) -> NewMessage {
    let mut mail = world.mail(number);
    text.clone_into(&mut mail.search_text);
    mail
}

/// Stores mail without threads.
async fn store(world: &World, mails: impl IntoIterator<Item = NewMessage>) {
    let mail = NewMail { messages: mails.into_iter().collect(), ..NewMail::default() };
    world.begin().await.commit_with(&mail).await.unwrap();
}

async fn found(world: &World, text: &str) -> Vec<i64> {
    let query = MessageQuery { search: Some(text.to_owned()), ..world.messages() };
    let page = world.store.list_messages(&query).await.unwrap();
    let number = |id: &str| id.trim_start_matches('<').split('@').next().unwrap().parse().unwrap();
    page.items.iter().map(|item| number(item.message_id.as_str())).collect()
}

/// Indexes 512 messages in eight segments.
async fn with_eight_segments(world: &World) -> IndexedInbox {
    let inbox = indexed(world);
    for round in 0..8 {
        let mails = (0..64).map(|number| saying(world, round * 64 + number, &format!("word{round:x} word{number:x}")));
        store(world, mails).await;
        assert!(world.store.index_some(&inbox, Uuid::from_u128(round.unsigned_abs().into())).await.unwrap());
    }
    inbox
}

/// Divides by zero unless the condition is true.
async fn assert_sql(world: &World, condition: &str) {
    world.database.execute(&format!("SELECT 1 / ({condition})::integer")).await;
}

#[tokio::test]
async fn few_messages_stay_unindexed_and_many_become_segment() {
    let world = world().await;
    let inbox = indexed(&world);
    store(&world, (0..63).map(|number| saying(&world, number, "some words"))).await;
    assert!(!world.store.index_some(&inbox, Uuid::from_u128(1)).await.unwrap());
    assert!(world.store.inboxes_to_index(None, 10).await.unwrap().is_empty());
    store(&world, [saying(&world, 63, "the last of them")]).await;
    assert_eq!(world.store.inboxes_to_index(None, 10).await.unwrap(), std::slice::from_ref(&inbox));
    assert!(world.store.inboxes_to_index(Some(inbox.clone()), 10).await.unwrap().is_empty());
    assert_eq!(world.store.due_to_index().await, std::slice::from_ref(&inbox));
    assert!(world.store.index_some(&inbox, Uuid::from_u128(1)).await.unwrap());
    assert!(!world.store.index_some(&inbox, Uuid::from_u128(2)).await.unwrap());
    assert_sql(&world, "(SELECT count(*) FROM search_pending) = 0").await;
    assert_sql(&world, "(SELECT documents FROM search_segments) = 64").await;
    assert_eq!(found(&world, "last").await, [63]);
    assert_eq!(found(&world, "e words").await.len(), 50);
    assert!(found(&world, "words of").await.is_empty());
}

#[tokio::test]
async fn merged_segment_omits_deleted_messages() {
    let world = world().await;
    let inbox = with_eight_segments(&world).await;
    let mut tx = world.begin().await;
    let doomed: Vec<_> = (0..12).map(|number| message_id(&number.to_string())).collect();
    tx.messages().delete(world.organization_id(), world.inbox_id(), &doomed).await.unwrap();
    tx.commit().await.unwrap();
    assert!(world.store.merge_some(&inbox, Uuid::from_u128(100), 0).await.unwrap());
    assert!(!world.store.merge_some(&inbox, Uuid::from_u128(101), 0).await.unwrap());
    assert_sql(&world, "(SELECT documents FROM search_segments) = 500").await;
    assert_sql(&world, "(SELECT count(DISTINCT segment_id) FROM search_blocks) = 1").await;
    assert_sql(&world, "(SELECT sum(cardinality(message_ids)) FROM search_documents) = 500").await;
    assert_eq!(found(&world, "word3f").await, (0..8).rev().map(|round| round * 64 + 63).collect::<Vec<_>>());
    assert_eq!(found(&world, "word0 wordb").await, Vec::<i64>::new());
    assert_eq!(found(&world, "word0 wordc").await, [12]);
}

#[tokio::test]
async fn merge_pauses_without_open_transaction_and_leaves_no_rows() {
    let world = world().await;
    let inbox = with_eight_segments(&world).await;
    let merging = {
        let (store, inbox) = (world.store.clone(), inbox.clone());
        tokio::spawn(async move { store.merge_some(&inbox, Uuid::from_u128(100), u32::MAX).await })
    };
    let written = format!("SELECT 1 / count(*) FROM search_blocks WHERE segment_id = '{}'", Uuid::from_u128(100));
    eventually("others see the blocks of the first step", async || world.database.try_execute(&written).await.ok())
        .await;
    assert_sql(
        &world,
        "(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
        AND state LIKE 'idle in transaction%') = 0",
    )
    .await;
    assert_sql(&world, "(SELECT count(*) FROM search_segments) = 8").await;
    assert_eq!(found(&world, "word0 wordc").await, [12]);
    assert!(!world.store.merge_some(&inbox, Uuid::from_u128(101), 0).await.unwrap(), "a process has claimed it");
    // Its process dies, and its lease expires.
    merging.abort();
    let _ = merging.await;
    world.database.execute("UPDATE search_unlisted SET until = now()").await;
    // A rollback releases its locks soon.
    let merge = async || world.store.merge_some(&inbox, Uuid::from_u128(102), 0).await.unwrap().then_some(());
    eventually("its remains are removed", merge).await;
    assert_sql(&world, "(SELECT count(*) FROM search_unlisted) = 0").await;
    assert_sql(&world, "(SELECT count(DISTINCT segment_id) FROM search_blocks) = 8").await;
    assert!(world.store.merge_some(&inbox, Uuid::from_u128(103), 0).await.unwrap());
    assert_sql(&world, "(SELECT count(DISTINCT segment_id) FROM search_blocks) = 1").await;
    assert_sql(&world, "(SELECT count(*) FROM search_unlisted) = 0").await;
    assert_eq!(found(&world, "word0 wordc").await, [12]);
}

#[tokio::test]
async fn mostly_deleted_segment_is_rewritten() {
    let world = world().await;
    let inbox = indexed(&world);
    store(&world, (0..64).map(|number| saying(&world, number, &format!("word{number:x}")))).await;
    assert!(world.store.index_some(&inbox, Uuid::from_u128(1)).await.unwrap());
    let delete = async |numbers: std::ops::Range<i64>| {
        let mut tx = world.begin().await;
        let doomed: Vec<_> = numbers.map(|number| message_id(&number.to_string())).collect();
        tx.messages().delete(world.organization_id(), world.inbox_id(), &doomed).await.unwrap();
        tx.commit().await.unwrap();
    };
    delete(0..32).await;
    assert!(!world.store.merge_some(&inbox, Uuid::from_u128(2), 0).await.unwrap());
    // After one more deletion, most messages are deleted.
    delete(32..33).await;
    assert!(world.store.merge_some(&inbox, Uuid::from_u128(2), 0).await.unwrap());
    assert_sql(&world, "(SELECT documents FROM search_segments) = 31").await;
    assert_eq!(found(&world, "word21").await, [33]);
    delete(33..64).await;
    assert!(world.store.merge_some(&inbox, Uuid::from_u128(3), 0).await.unwrap());
    for table in ["search_segments", "search_documents", "search_blocks"] {
        assert_sql(&world, &format!("(SELECT count(*) FROM {table}) = 0")).await;
    }
}

#[tokio::test]
async fn message_is_found_at_commit_during_indexing() {
    let world = world().await;
    let inbox = indexed(&world);
    let indexing = {
        let (store, inbox) = (world.store.clone(), inbox.clone());
        tokio::spawn(async move {
            for number in 1.. {
                store.index_some(&inbox, Uuid::from_u128(number)).await.unwrap();
                store.merge_some(&inbox, Uuid::from_u128(number | 1 << 64), 0).await.unwrap();
                tokio::task::yield_now().await;
            }
        })
    };
    for number in 0..200 {
        store(&world, [saying(&world, number, &format!("<{number}>"))]).await;
        assert_eq!(found(&world, &format!("<{number}>")).await, [number]);
        assert_eq!(found(&world, &format!("<{}>", number / 2)).await, [number / 2]);
    }
    indexing.abort();
    let _ = indexing.await;
    assert_sql(&world, "(SELECT count(*) FROM search_segments) > 0").await;
}

#[tokio::test]
async fn search_with_damaged_index_is_complete() {
    let world = world().await;
    store(&world, (0..64).map(|number| saying(&world, number, &format!("word {number:x}")))).await;
    assert!(world.store.index_some(&indexed(&world), Uuid::from_u128(1)).await.unwrap());
    world.database.execute("UPDATE search_blocks SET block = '\\xff'").await;
    assert_eq!(found(&world, "word 3f").await, [63]);
}

#[tokio::test]
async fn index_of_deleted_inbox_is_purged_in_batches() {
    let world = world().await;
    let inbox = indexed(&world);
    for round in 0..2 {
        store(&world, (0..70).map(|number| saying(&world, round * 70 + number, &format!("word {number:x}")))).await;
        if round == 0 {
            assert!(world.store.index_some(&inbox, Uuid::from_u128(1)).await.unwrap());
        }
    }
    delete_inbox(&world.store, &world.inbox).await;
    assert!(!world.store.index_some(&inbox, Uuid::from_u128(2)).await.unwrap());
    loop {
        let mut tx = world.begin().await;
        let removed = tx.inboxes().purge_deleted(20).await.unwrap();
        tx.commit().await.unwrap();
        assert!(removed <= 20);
        if removed < 20 {
            break;
        }
    }
    for table in ["search_pending", "search_segments", "search_documents", "search_blocks", "messages"] {
        assert_sql(&world, &format!("(SELECT count(*) FROM {table}) = 0")).await;
    }
    assert_sql(&world, "(SELECT count(purged_at) FROM inboxes) = 1").await;
}

#[tokio::test]
async fn inbox_being_indexed_is_purged_later() {
    let world = world().await;
    store(&world, (0..64).map(|number| saying(&world, number, "words"))).await;
    delete_inbox(&world.store, &world.inbox).await;
    let mut somebody = world.database.session().await;
    let claim = format!("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('{}', 2))", world.inbox_id());
    somebody.execute(&claim).await;
    for (held, purged) in [(true, 0), (false, 1)] {
        if !held {
            somebody.execute("ROLLBACK").await;
        }
        let mut tx = world.begin().await;
        assert!(tx.inboxes().purge_deleted(500).await.unwrap() < 500);
        tx.commit().await.unwrap();
        assert_sql(&world, &format!("(SELECT count(purged_at) FROM inboxes) = {purged}")).await;
    }
}
