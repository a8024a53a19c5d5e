use inboxd_core::app::messages::delete;
use inboxd_core::model::{Caller, MessageItem, Permission, Thread, UsageChange};
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use crate::app::{holds_inbox, permissions, thread_of, world};

fn message(number: i64, labels: &[&str]) -> MessageItem {
    MessageItem {
        message_id: message_id(&format!("<{number}@example.org>")),
        labels: labels.iter().copied().collect(),
        timestamp: NOW + Duration::seconds(number),
        size: 100 + number.unsigned_abs(),
        ..fixtures::message_item()
    }
}

/// An environment with a unit of work over a thread of these messages.
fn world_with(messages: &[MessageItem]) -> World {
    let mut world = world();
    let (all, thread) = (messages.to_vec(), thread_of(messages));
    let tx = world.unit_of_work();
    holds_inbox(tx);
    let found = all.clone();
    tx.messages
        .expect_items()
        .times(1..=2)
        .returning(move |_, _, ids| Ok(found.iter().filter(|item| ids.contains(&item.message_id)).cloned().collect()));
    tx.threads.expect_lock().once().returning(move |_, _, ids| {
        Ok(Some(thread.clone()).filter(|thread| ids.contains(&thread.thread_id)).into_iter().collect())
    });
    let left: Vec<MessageItem> =
        all.into_iter().filter(|item| item.message_id != message_id("<1@example.org>")).collect();
    tx.messages.expect_of_thread().times(..=1).returning(move |_, _, _, _, _| Ok(left.clone()));
    world
}

/// Expects the deletion of the second message and this change of the usage.
fn expect_delete(world: &mut World, change: UsageChange) {
    let tx = world.last_unit_of_work();
    tx.messages.expect_delete().once().returning(|_, _, ids| {
        assert_eq!(ids, [message_id("<1@example.org>")]);
        Ok(())
    });
    tx.usage.expect_change().once().returning(move |changes| {
        assert_eq!(changes, [(id(1), fixtures::inbox().inbox_id, change)]);
        Ok(())
    });
}

async fn delete_as(world: World, caller: &Caller) -> Result<(), Error> {
    delete(&world.app(), caller, &fixtures::inbox().inbox_id, &message_id("<1@example.org>")).await
}

#[tokio::test]
async fn deleted_message_frees_storage_and_leaves_thread() {
    let messages = [message(0, &["received"]), message(1, &["received", "urgent"])];
    let mut world = world_with(&messages);
    expect_delete(&mut world, UsageChange { storage_bytes: -101, messages: -1, threads: 0 });
    let updated = Captured::<Thread>::default();
    let seen = updated.clone();
    world.last_unit_of_work().threads.expect_update().once().returning(move |threads| {
        for thread in threads {
            seen.push(thread.clone());
        }
        Ok(())
    });
    let journal = world.journal.clone();
    delete_as(world, &fixtures::caller()).await.unwrap();
    let thread = updated.only();
    assert_eq!((thread.message_count, thread.labels.to_vec()), (1, vec!["received".to_owned()]));
    assert_eq!(thread.last_message_id, message_id("<0@example.org>"));
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn last_message_takes_thread_along() {
    let mut world = world_with(&[message(1, &["received"])]);
    expect_delete(&mut world, UsageChange { storage_bytes: -101, messages: -1, threads: -1 });
    world.last_unit_of_work().threads.expect_delete().once().returning(|_, _, thread_id| {
        assert_eq!(thread_id, id(10));
        Ok(())
    });
    let journal = world.journal.clone();
    delete_as(world, &fixtures::caller()).await.unwrap();
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn missing_or_hidden_message_is_not_deleted() {
    let blind = Caller { permissions: permissions(&["message_delete"]), ..fixtures::caller() };
    let table = [
        (fixtures::caller(), vec![message(0, &["received"])]),
        (blind, vec![message(0, &["received"]), message(1, &["received", "trash"])]),
    ];
    for (caller, messages) in table {
        let world = world_with(&messages);
        let journal = world.journal.clone();
        let refused = delete_as(world, &caller).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Message, .. })));
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn message_deletion_needs_its_permission() {
    let reader = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let refused = delete_as(world(), &reader).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MessageDelete))));
}
