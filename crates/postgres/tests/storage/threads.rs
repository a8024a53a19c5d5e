use inboxd_core::model::{Actor, Hidden, Thread};
use inboxd_core::ports::{StoreError, ThreadQuery, ThreadReads};
use uuid::Uuid;

use crate::support::*;

async fn read(world: &World, number: i64, readable: Hidden) -> Option<Thread> {
    world.store.thread(world.organization_id(), world.inbox_id(), thread_id(number), readable).await.unwrap()
}

#[tokio::test]
async fn a_thread_is_read_back_as_it_was_stored_and_changed() {
    let world = world().await;
    let first = world.mail(1).message.item;
    let mut second = world.mail(2).message.item;
    second.thread_id = thread_id(1);
    second.labels = ["sent", "spam"].into_iter().collect();
    let started = Thread::started_by(&first);
    let mut tx = world.begin().await;
    tx.threads().insert(&started).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1, Hidden::NONE).await, Some(started.clone()));

    let member = Actor::Member {
        member_id: Uuid::from_u128(3).into(),
        name: "Anna".to_owned(),
        email: "anna@example.org".to_owned(),
    };
    let changed = Thread { assignee: Some(member), ..started.joined_by(&second) };
    let mut tx = world.begin().await;
    let locked = tx.threads().lock(world.organization_id(), world.inbox_id(), &[thread_id(1), thread_id(8)]).await;
    assert_eq!(locked.unwrap().len(), 1);
    tx.threads().update(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1, Hidden::NONE).await, Some(changed));
}

#[tokio::test]
async fn threads_are_locked_in_the_order_of_their_ids() {
    let world = world().await;
    for number in [3, 1, 2] {
        world.deliver(&world.mail(number)).await;
    }
    let mut tx = world.begin().await;
    let asked = [thread_id(2), thread_id(3), thread_id(1)];
    let locked = tx.threads().lock(world.organization_id(), world.inbox_id(), &asked).await.unwrap();
    let ids: Vec<_> = locked.into_iter().map(|thread| thread.thread_id).collect();
    assert_eq!(ids, [thread_id(1), thread_id(2), thread_id(3)]);
}

#[tokio::test]
async fn a_thread_shows_when_one_of_its_messages_does() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["spam"])).await;
    assert_eq!(read(&world, 1, Hidden::NONE).await, None);
    assert!(read(&world, 1, Hidden::ALL).await.is_some());
    let mut visible = world.mail(2);
    visible.message.item.thread_id = thread_id(1);
    world.deliver(&visible).await;
    assert!(read(&world, 1, Hidden::NONE).await.is_some());
}

#[tokio::test]
async fn a_foreign_organization_neither_reads_nor_changes_a_thread() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let foreign = organization(2, "other@example.org").organization_id;
    assert_eq!(world.store.thread(foreign, world.inbox_id(), thread_id(1), Hidden::ALL).await.unwrap(), None);
    let thread = read(&world, 1, Hidden::ALL).await.unwrap();
    let mut tx = world.begin().await;
    assert_eq!(tx.threads().lock(foreign, world.inbox_id(), &[thread_id(1)]).await.unwrap(), []);
    let stolen = Thread { organization_id: foreign, ..thread };
    assert_eq!(tx.threads().update(&stolen).await, Err(StoreError::Contention));
    assert_eq!(tx.threads().delete(foreign, world.inbox_id(), thread_id(1)).await, Err(StoreError::Contention));
}

#[tokio::test]
async fn a_deleted_thread_leaves_every_list() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let mut tx = world.begin().await;
    tx.threads().delete(world.organization_id(), world.inbox_id(), thread_id(1)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1, Hidden::ALL).await, None);
    for labels in [vec![], strings(&["received"])] {
        let query = ThreadQuery { labels, ..world.threads() };
        assert_eq!(world.store.list_threads(&query).await.unwrap().items, []);
    }
}
