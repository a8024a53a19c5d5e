use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use inboxd_core::model::{ClaimedMail, HidingLabels};
use inboxd_core::ports::{MessageReads, OutgoingReads, StoreError, Tx};
use tokio::task::JoinHandle;

use crate::outgoing::{claim_as, enqueue, of_message, outgoing_id, wanted};
use crate::support::*;

#[derive(QueryableByName, Debug, PartialEq)]
struct Rows {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Returns the number of remaining mail rows in each table.
async fn rows(world: &World) -> [i64; 5] {
    let mut connection = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    let query = "SELECT 'a' AS name, count(*) FROM messages UNION ALL SELECT 'b', count(*) FROM message_bodies
        UNION ALL SELECT 'c', count(*) FROM message_labels UNION ALL SELECT 'd', count(*) FROM threads
        UNION ALL SELECT 'e', count(*) FROM thread_labels ORDER BY name";
    let rows: Vec<Rows> = diesel::sql_query(query).load(&mut connection).await.unwrap();
    let counts: Vec<i64> = rows.into_iter().map(|row| row.count).collect();
    counts.try_into().unwrap()
}

async fn purge(world: &World, limit: u32) -> u64 {
    let mut tx = world.begin().await;
    let removed = tx.inboxes().purge_deleted(limit).await.unwrap();
    tx.commit().await.unwrap();
    removed
}

#[tokio::test]
async fn deleted_message_takes_all_its_rows_along() {
    let world = world().await;
    for number in 1..=3 {
        world.deliver(&world.mail(number)).await;
    }
    let mut tx = world.begin().await;
    let ids = [message_id("1"), message_id("3")];
    tx.messages().delete(world.organization_id(), world.inbox_id(), &ids).await.unwrap();
    for number in [1, 3] {
        tx.threads().delete(world.organization_id(), world.inbox_id(), thread_id(number)).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(rows(&world).await, [1, 1, 2, 1, 2]);
    let left = world.store.list_messages(&world.messages()).await.unwrap().items;
    assert_eq!(left, [world.mail(2).message.item]);
}

#[tokio::test]
async fn missing_message_cannot_be_deleted() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let mut tx = world.begin().await;
    let ids = [message_id("1"), message_id("2")];
    let refused = tx.messages().delete(world.organization_id(), world.inbox_id(), &ids).await;
    assert_eq!(refused, Err(StoreError::Contention));
    drop(tx);
    assert_eq!(rows(&world).await, [1, 1, 2, 1, 2]);
}

#[tokio::test]
async fn message_relabelled_during_deletion_is_not_deleted() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let mut change = AsyncPgConnection::establish(&world.database.url()).await.unwrap();
    change.batch_execute("BEGIN; UPDATE messages SET labels = array_append(labels, 'late')").await.unwrap();
    let mut tx = world.begin().await;
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id().clone());
    let deletion =
        tokio::spawn(async move { tx.messages().delete(organization_id, &inbox_id, &[message_id("1")]).await });
    world.until_one_waits().await;
    change.batch_execute("COMMIT").await.unwrap();
    assert_eq!(deletion.await.unwrap(), Err(StoreError::Contention));
    assert_eq!(rows(&world).await, [1, 1, 2, 1, 2]);
}

#[tokio::test]
async fn only_deleted_inboxes_are_purged_in_batches() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    let empty = inbox(&world.organization, "empty@agents.example");
    add_inbox(&world.store, &second).await;
    add_inbox(&world.store, &empty).await;
    for number in 1..=5 {
        let mut mail = world.mail(number);
        mail.message.item.thread_id = thread_id(number / 2);
        world.deliver(&mail).await;
    }
    deliver(&world.store, &mail(&second, 9)).await;
    assert_eq!(purge(&world, 10).await, 0);
    delete_inbox(&world.store, &world.inbox).await;
    delete_inbox(&world.store, &empty).await;
    assert_eq!(rows(&world).await, [6, 6, 12, 4, 8]);

    assert_eq!(purge(&world, 2).await, 2);
    assert_eq!(rows(&world).await, [4, 4, 8, 3, 6]);
    assert_eq!(purge(&world, 10).await, 3);
    assert_eq!(rows(&world).await, [1, 1, 2, 1, 2]);
    assert_eq!(purge(&world, 10).await, 0);
    let kept = [message_id("9")];
    let kept = world.store.messages(second.organization_id, &second.inbox_id, &kept, HidingLabels::NONE).await.unwrap();
    assert_eq!(kept.len(), 1);
}

#[tokio::test]
async fn queued_mail_of_deleted_inbox_stays_queued() {
    let world = world().await;
    let mail = world.mail(1);
    world.deliver(&mail).await;
    enqueue(&world, &[of_message(&world, 1)]).await;
    delete_inbox(&world.store, &world.inbox).await;
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap(), Some(mail.raw.clone()));
    assert_eq!(purge(&world, 10).await, 1);
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap(), Some(mail.raw));
}

/// A queued message, and a worker that has claimed it in an open unit of work.
async fn half_claimed(world: &World) -> (Vec<u8>, Box<dyn Tx>) {
    let mail = world.mail(1);
    world.deliver(&mail).await;
    enqueue(world, &[of_message(world, 1)]).await;
    let mut worker = world.begin().await;
    assert_eq!(worker.outgoing().claim(&wanted(50, 10)).await.unwrap().len(), 1);
    (mail.raw, worker)
}

/// Starts the deletion of the message and returns when it waits for the worker.
async fn begin_deletion(world: &World) -> JoinHandle<()> {
    let mut tx = world.begin().await;
    let (organization_id, inbox_id) = (world.organization_id(), world.inbox_id().clone());
    let deleting = tokio::spawn(async move {
        tx.messages().delete(organization_id, &inbox_id, &[message_id("1")]).await.unwrap();
        tx.commit().await.unwrap();
    });
    world.until_one_waits().await;
    deleting
}

#[tokio::test]
async fn message_deleted_during_claim_retains_queued_content() {
    let world = world().await;
    let (raw, worker) = half_claimed(&world).await;
    let deleting = begin_deletion(&world).await;
    worker.commit().await.unwrap();
    deleting.await.unwrap();
    assert_eq!(rows(&world).await[..2], [0, 0]);
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap(), Some(raw));
}

#[tokio::test]
async fn inbox_purged_during_claim_retains_queued_content() {
    let world = world().await;
    let (raw, worker) = half_claimed(&world).await;
    delete_inbox(&world.store, &world.inbox).await;
    let mut tx = world.begin().await;
    let purging = tokio::spawn(async move {
        let removed = tx.inboxes().purge_deleted(10).await.unwrap();
        tx.commit().await.unwrap();
        removed
    });
    world.until_one_waits().await;
    worker.commit().await.unwrap();
    assert_eq!(purging.await.unwrap(), 1);
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap(), Some(raw));
}

#[tokio::test]
async fn message_deleted_after_delivery_leaves_no_queued_content() {
    let world = world().await;
    let (_, mut worker) = half_claimed(&world).await;
    let claim = wanted(50, 10);
    let claimed =
        ClaimedMail { organization_id: world.organization_id(), outgoing_id: outgoing_id(1), claim_id: claim.claim_id };
    assert_eq!(worker.outgoing().remove(&[claimed]).await.unwrap(), [claimed]);
    let deleting = begin_deletion(&world).await;
    worker.commit().await.unwrap();
    deleting.await.unwrap();
    assert_eq!(claim_as(&world, &wanted(500, 10)).await, []);
}

#[tokio::test]
async fn two_processes_purge_different_inboxes() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    world.deliver(&world.mail(1)).await;
    deliver(&world.store, &mail(&second, 2)).await;
    delete_inbox(&world.store, &world.inbox).await;
    delete_inbox(&world.store, &second).await;
    let (mut one, mut two) = (world.begin().await, world.begin().await);
    assert_eq!(one.inboxes().purge_deleted(1).await.unwrap(), 1);
    assert_eq!(two.inboxes().purge_deleted(10).await.unwrap(), 1);
    one.commit().await.unwrap();
    two.commit().await.unwrap();
    assert_eq!(rows(&world).await, [0; 5]);
}

#[tokio::test]
async fn content_of_deleted_inbox_is_not_read() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    delete_inbox(&world.store, &world.inbox).await;
    let (organization_id, inbox_id, id) = (world.organization_id(), world.inbox_id(), message_id("1"));
    let ids = std::slice::from_ref(&id);
    assert_eq!(world.store.messages(organization_id, inbox_id, ids, HidingLabels::ALL).await.unwrap(), []);
    assert_eq!(world.store.raw_message(organization_id, inbox_id, &id, HidingLabels::ALL).await.unwrap(), None);
    let store = &world.store;
    let of_thread =
        store.messages_of_thread(organization_id, inbox_id, thread_id(1), HidingLabels::ALL, 5, None).await.unwrap();
    assert_eq!(of_thread.items, []);
    let mut tx = world.begin().await;
    assert_eq!(tx.messages().items(organization_id, inbox_id, ids).await.unwrap(), []);
    assert_eq!(tx.messages().of_thread(organization_id, inbox_id, thread_id(1), 9, None).await.unwrap(), []);
    assert_eq!(tx.threads().lock(organization_id, inbox_id, &[thread_id(1)]).await.unwrap(), []);
}
