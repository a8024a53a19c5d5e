use inboxd_core::app::messages::{batch_update, update};
use inboxd_core::model::{Caller, InboxId, Labels, MessageId, MessageItem, Permission, Thread};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::testing::fixtures::{self, NOW, message_id};
use inboxd_core::testing::{Captured, MockTx, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use crate::app::{expect_history, paths, permissions, thread_of, world};

fn inbox_id() -> InboxId {
    fixtures::inbox().inbox_id
}

fn item(id: &str, labels: &[&str]) -> MessageItem {
    MessageItem {
        message_id: message_id(id),
        labels: labels.iter().copied().collect(),
        timestamp: NOW - Duration::hours(1),
        created_at: NOW - Duration::hours(1),
        updated_at: NOW - Duration::hours(1),
        ..fixtures::message_item()
    }
}

fn change(add: &[&str], remove: &[&str]) -> LabelChange {
    let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    LabelChange::checked(&owned(add), &owned(remove)).unwrap()
}

#[derive(Default)]
struct Changed {
    messages: Captured<MessageItem>,
    thread: Captured<Thread>,
}

/// A unit of work over one thread with these messages.
fn expect_thread(tx: &mut MockTx, messages: Vec<MessageItem>) -> Changed {
    let changed = Changed::default();
    expect_history(tx);
    let all = messages.clone();
    tx.messages
        .expect_items()
        .times(2)
        .returning(move |_, _, ids| Ok(all.iter().filter(|item| ids.contains(&item.message_id)).cloned().collect()));
    let thread = thread_of(&messages);
    tx.threads.expect_lock().once().returning(move |_, _, ids| {
        Ok(Some(thread.clone()).filter(|thread| ids.contains(&thread.thread_id)).into_iter().collect())
    });
    let seen = changed.messages.clone();
    tx.messages.expect_update_labels().returning(move |items| {
        for item in items {
            seen.push(item.clone());
        }
        Ok(())
    });
    let (before, seen) = (messages.clone(), changed.messages.clone());
    tx.messages.expect_labels_of_thread().returning(move |_, _, _| {
        let mut labels = Labels::default();
        for item in after(&before, &seen) {
            labels.extend(&item.labels);
        }
        Ok(labels)
    });
    let seen = changed.messages.clone();
    tx.messages.expect_of_thread().returning(move |_, _, _, _, _| Ok(after(&messages, &seen)));
    let seen = changed.thread.clone();
    tx.threads.expect_update().returning(move |threads| {
        for thread in threads {
            seen.push(thread.clone());
        }
        Ok(())
    });
    changed
}

/// Returns the messages with their stored changes.
fn after(before: &[MessageItem], changed: &Captured<MessageItem>) -> Vec<MessageItem> {
    let changed = changed.all();
    let stored =
        |item: &MessageItem| changed.iter().find(|other| other.message_id == item.message_id).unwrap_or(item).clone();
    before.iter().map(stored).collect()
}

async fn updated(world: World, caller: &Caller, change: &LabelChange) -> Result<MessageItem, Error> {
    update(&world.app(), caller, &inbox_id(), &message_id("<a@b.example>"), change).await
}

#[tokio::test]
async fn label_change_updates_message_and_thread_summary() {
    let before = [item("<a@b.example>", &["received", "unread"]), item("<c@d.example>", &["received", "kept"])];
    let mut world = world();
    let changed = expect_thread(world.unit_of_work(), before.to_vec());
    let journal = world.journal.clone();
    let change = change(&["Done"], &["unread"]);
    let answer = updated(world, &fixtures::caller(), &change).await.unwrap();
    assert_eq!(answer.labels.to_vec(), ["done", "received"]);
    assert_eq!(answer.updated_at, NOW);
    assert_eq!(changed.messages.only(), answer);
    let thread = changed.thread.only();
    assert_eq!(thread.labels.to_vec(), ["done", "kept", "received"]);
    assert_eq!(thread, thread_of(&before).summed_up(&[answer, before[1].clone()], NOW).unwrap());
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn trashed_message_leaves_visible_thread_summary() {
    let mut world = world();
    let changed = expect_thread(world.unit_of_work(), vec![item("<a@b.example>", &["received"])]);
    updated(world, &fixtures::caller(), &change(&["trash"], &[])).await.unwrap();
    let thread = changed.thread.only();
    let shows = |included: inboxd_core::model::HidingLabels| thread.hidden_sets & included.shown_set() != 0;
    assert!(!shows(inboxd_core::model::HidingLabels::NONE) && shows(inboxd_core::model::HidingLabels::ALL));
}

#[tokio::test]
async fn label_change_without_difference_writes_nothing() {
    let mut world = world();
    let before = item("<a@b.example>", &["received", "done"]);
    let changed = expect_thread(world.unit_of_work(), vec![before.clone()]);
    let answer = updated(world, &fixtures::caller(), &change(&["done"], &["unread"])).await.unwrap();
    assert_eq!(answer, before);
    assert_eq!((changed.messages.all().len(), changed.thread.all().len()), (0, 0));
}

#[tokio::test]
async fn hidden_message_is_not_found_without_permission() {
    let mut world = world();
    let changed = expect_thread(world.unit_of_work(), vec![item("<a@b.example>", &["received", "spam"])]);
    let blind = Caller { permissions: permissions(&["message_update", "label_trash_read"]), ..fixtures::caller() };
    let refused = updated(world, &blind, &change(&["done"], &[])).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Message, .. })));
    assert_eq!(changed.messages.all(), []);

    let mut world = self::world();
    expect_thread(world.unit_of_work(), vec![item("<a@b.example>", &["received", "spam"])]);
    let seeing = Caller { permissions: permissions(&["message_update", "label_spam_read"]), ..fixtures::caller() };
    assert!(updated(world, &seeing, &change(&["done"], &[])).await.is_ok());
}

#[tokio::test]
async fn unknown_message_is_not_found() {
    let mut world = world();
    expect_thread(world.unit_of_work(), vec![item("<other@b.example>", &["received"])]);
    let refused = updated(world, &fixtures::caller(), &change(&["done"], &[])).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Message, .. })));
}

#[tokio::test]
async fn exceeded_label_limit_leaves_all_messages_unchanged() {
    let full: Vec<String> = (0..64).map(|number| format!("l{number:02}")).collect();
    let full: Vec<&str> = full.iter().map(String::as_str).collect();
    let mut world = world();
    let messages = vec![item("<c@d.example>", &["received"]), item("<a@b.example>", &full)];
    expect_thread(world.unit_of_work(), messages);
    let journal = world.journal.clone();
    let ids = [message_id("<c@d.example>"), message_id("<a@b.example>")];
    let change = change(&["more"], &[]);
    let refused = batch_update(&world.app(), &fixtures::caller(), &inbox_id(), &ids, &change).await;
    assert_eq!(paths(refused.unwrap_err()), ["add_labels"]);
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn batch_update_returns_request_order_without_unknown_ids() {
    let mut world = world();
    let messages = vec![item("<a@b.example>", &["received"]), item("<c@d.example>", &["received"])];
    let changed = expect_thread(world.unit_of_work(), messages);
    let journal = world.journal.clone();
    let ids = [message_id("<c@d.example>"), message_id("<unknown@x.example>"), message_id("<a@b.example>")];
    let change = change(&["done"], &[]);
    let answer = batch_update(&world.app(), &fixtures::caller(), &inbox_id(), &ids, &change).await.unwrap();
    let found: Vec<&MessageId> = answer.iter().map(|item| &item.message_id).collect();
    assert_eq!(found, [&ids[0], &ids[2]]);
    assert_eq!((changed.messages.all().len(), changed.thread.all().len(), journal.commits()), (2, 1, 1));
}

#[tokio::test]
async fn batch_update_needs_1_to_50_distinct_ids() {
    let ids = |count: usize| (0..count).map(|number| message_id(&format!("<{number}@x.example>"))).collect::<Vec<_>>();
    let twice = [ids(1), ids(1)].concat();
    for bad in [ids(0), ids(51), twice] {
        let app = world().app();
        let refused = batch_update(&app, &fixtures::caller(), &inbox_id(), &bad, &change(&["x"], &[])).await;
        assert_eq!(paths(refused.unwrap_err()), ["message_ids"]);
    }
}

#[tokio::test]
async fn contended_label_change_is_retried() {
    let mut world = world();
    let tx = world.unit_of_work();
    tx.messages.expect_items().once().returning(|_, _, _| Ok(vec![item("<a@b.example>", &["received"])]));
    tx.threads.expect_lock().once().returning(|_, _, _| Err(StoreError::Contention));
    expect_thread(world.unit_of_work(), vec![item("<a@b.example>", &["received"])]);
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    expect_thread(world.unit_of_work(), vec![item("<a@b.example>", &["received"])]);
    let journal = world.journal.clone();
    assert!(updated(world, &fixtures::caller(), &change(&["done"], &[])).await.is_ok());
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn label_change_needs_its_permission() {
    let reader = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let refused = updated(world(), &reader, &change(&["done"], &[])).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MessageUpdate))));
}
