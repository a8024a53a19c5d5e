use std::collections::BTreeSet;

use inboxd_core::model::{Actor, HidingLabels, InboxId, MessageItem, NewMail, Thread};
use inboxd_core::ports::{MessageQuery, MessageReads, Store, StoreError, ThreadQuery, ThreadReads};
use uuid::Uuid;

use crate::support::*;

async fn read(world: &World, number: i64, readable: HidingLabels) -> Option<Thread> {
    world.store.thread(world.organization_id(), world.inbox_id(), thread_id(number), readable).await.unwrap()
}

#[tokio::test]
async fn thread_survives_round_trip_and_changes() {
    let world = world().await;
    let first = world.mail(1).message.item;
    let mut second = world.mail(2).message.item;
    second.thread_id = thread_id(1);
    second.labels = ["sent", "spam"].into_iter().collect();
    let started = Thread::started_by(&first);
    world.begin().await.commit_with(&NewMail { begun: vec![started.clone()], ..NewMail::default() }).await.unwrap();
    assert_eq!(read(&world, 1, HidingLabels::NONE).await, Some(started.clone()));

    let member = Actor::Member {
        member_id: Uuid::from_u128(3).into(),
        name: "Anna".to_owned(),
        email: "anna@example.org".to_owned(),
        connection_id: None,
    };
    let changed = Thread { assignee: Some(member), ..started.joined_by(&second) };
    let mut tx = world.begin().await;
    let locked = tx.threads().lock(world.organization_id(), world.inbox_id(), &[thread_id(1), thread_id(8)]).await;
    assert_eq!(locked.unwrap().len(), 1);
    tx.threads().update(std::slice::from_ref(&changed)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1, HidingLabels::NONE).await, Some(changed));
}

/// Writes deferred to the commit run earlier when a later read in the unit of work needs them.
#[tokio::test]
async fn thread_change_is_visible_to_later_reads() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let key = (world.organization_id(), world.inbox_id(), [thread_id(1)]);
    let item = world.mail(1).message.item;
    let thread = read(&world, 1, HidingLabels::NONE).await.unwrap();
    let labelled = |label: &str| Thread { labels: [label].into_iter().collect(), ..thread.clone() };
    let relabelled = |label: &str| MessageItem { labels: [label].into_iter().collect(), ..item.clone() };
    let mut tx = world.begin().await;
    for (changed, message) in [(labelled("one"), relabelled("one")), (labelled("two"), relabelled("two"))] {
        tx.messages().update_labels(std::slice::from_ref(&message)).await.unwrap();
        tx.threads().update(std::slice::from_ref(&changed)).await.unwrap();
        assert_eq!(tx.threads().lock(key.0, key.1, &key.2).await.unwrap(), [changed]);
        let ids = std::slice::from_ref(&item.message_id);
        assert_eq!(tx.messages().items(key.0, key.1, ids).await.unwrap(), [message]);
    }
    // Changed twice and then joined by mail: the last state remains.
    for label in ["three", "four"] {
        tx.threads().update(&[labelled(label)]).await.unwrap();
        tx.messages().update_labels(&[relabelled(label)]).await.unwrap();
    }
    let last = labelled("five");
    tx.commit_with(&NewMail { joined: vec![last.clone()], ..NewMail::default() }).await.unwrap();
    assert_eq!(read(&world, 1, HidingLabels::NONE).await, Some(last));
    let found = world.store.list_messages(&world.messages()).await.unwrap().items;
    assert_eq!(found, [relabelled("four")]);
    for (label, found) in [("four", 1), ("two", 0), ("three", 0)] {
        let query = MessageQuery { labels: strings(&[label]), ..world.messages() };
        assert_eq!(world.store.list_messages(&query).await.unwrap().items.len(), found, "{label}");
    }
}

#[tokio::test]
async fn threads_of_assignee_become_unassigned_except_listed_inboxes() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    world.deliver(&world.mail(1)).await;
    deliver(&world.store, &mail(&second, 2)).await;
    let copies =
        "INSERT INTO threads SELECT (jsonb_populate_record(t, jsonb_build_object('thread_id', gen_random_uuid()))).*
        FROM threads t CROSS JOIN generate_series(1, 600)";
    world.database.execute(copies).await;
    let assign = "UPDATE threads SET assignee_id = 'mem_1', assignee = '{}'";
    world.database.execute(assign).await;
    let others = "UPDATE threads SET assignee_id = 'mem_2' WHERE thread_id IN
        (SELECT thread_id FROM threads ORDER BY thread_id LIMIT 1)";
    world.database.execute(others).await;
    let unassign = async |keep: &[&InboxId]| {
        let keep = keep.iter().map(|&inbox_id| inbox_id.clone()).collect();
        let mut tx = world.begin().await;
        tx.threads().unassign(world.organization_id(), "mem_1", &keep, at(90)).await.unwrap();
        tx.commit().await.unwrap();
    };
    // The query divides by zero if such a row exists.
    let none = async |condition: &str| {
        world.database.try_execute(&format!("SELECT 1 / (size - size) FROM threads WHERE {condition} LIMIT 1")).await
    };
    unassign(&[&second.inbox_id]).await;
    none("assignee_id = 'mem_1' AND inbox_id <> 'second@agents.example'").await.unwrap();
    none("assignee_id IS NULL AND (inbox_id = 'second@agents.example' OR assignee IS NOT NULL)").await.unwrap();
    none("assignee_id = 'mem_1'").await.unwrap_err();
    unassign(&[]).await;
    none("assignee_id = 'mem_1'").await.unwrap();
    none("assignee_id = 'mem_2'").await.unwrap_err();
    none("assignee_id IS NULL AND updated_at <> (SELECT max(updated_at) FROM threads)").await.unwrap();
}

#[tokio::test]
async fn concurrently_written_thread_becomes_unassigned_too() {
    let world = world().await;
    let (member_id, name) = (Uuid::from_u128(3).into(), "Anna".to_owned());
    let anna = Actor::Member { member_id, name, email: "anna@example.org".to_owned(), connection_id: None };
    world.deliver(&world.mail(1)).await;
    let thread = read(&world, 1, HidingLabels::ALL).await.unwrap();
    let mut tx = world.begin().await;
    tx.threads().update(&[Thread { assignee: Some(anna.clone()), ..thread }]).await.unwrap();
    tx.commit().await.unwrap();
    // A new message leaves the assignee unchanged; its unit of work is still open.
    let mut second = world.mail(3);
    second.message.item.thread_id = thread_id(1);
    let mut delivery = world.begin().await;
    let locked = delivery.threads().lock(world.organization_id(), world.inbox_id(), &[thread_id(1)]).await;
    let written = locked.unwrap().remove(0).joined_by(&second.message.item);
    delivery.threads().update(std::slice::from_ref(&written)).await.unwrap();
    let (store, organization_id, whose) = (world.store.clone(), world.organization_id(), anna.id());
    let removal = tokio::spawn(async move {
        let mut tx = store.begin().await.unwrap();
        tx.threads().unassign(organization_id, &whose, &BTreeSet::new(), at(90)).await.unwrap();
        tx.commit().await.unwrap();
    });
    world.until_one_waits().await;
    delivery.commit().await.unwrap();
    removal.await.unwrap();
    let after = read(&world, 1, HidingLabels::ALL).await.unwrap();
    assert_eq!((after.assignee, after.message_count), (None, 2));
}

#[tokio::test]
async fn threads_are_locked_in_order_of_id() {
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
async fn thread_is_visible_with_a_visible_message() {
    let world = world().await;
    world.deliver(&world.labelled(1, &["spam"])).await;
    assert_eq!(read(&world, 1, HidingLabels::NONE).await, None);
    assert!(read(&world, 1, HidingLabels::ALL).await.is_some());
    let mut visible = world.mail(2);
    visible.message.item.thread_id = thread_id(1);
    world.deliver(&visible).await;
    assert!(read(&world, 1, HidingLabels::NONE).await.is_some());
}

#[tokio::test]
async fn foreign_organization_neither_reads_nor_changes_thread() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let foreign = organization(2, "other@example.org").organization_id;
    assert_eq!(world.store.thread(foreign, world.inbox_id(), thread_id(1), HidingLabels::ALL).await.unwrap(), None);
    let thread = read(&world, 1, HidingLabels::ALL).await.unwrap();
    let mut tx = world.begin().await;
    assert_eq!(tx.threads().lock(foreign, world.inbox_id(), &[thread_id(1)]).await.unwrap(), []);
    let stolen = Thread { organization_id: foreign, ..thread };
    tx.threads().update(&[stolen]).await.unwrap();
    assert_eq!(tx.commit().await, Err(StoreError::Contention));
    let mut tx = world.begin().await;
    assert_eq!(tx.threads().delete(foreign, world.inbox_id(), thread_id(1)).await, Err(StoreError::Contention));
}

#[tokio::test]
async fn deleted_thread_leaves_all_lists() {
    let world = world().await;
    world.deliver(&world.mail(1)).await;
    let mut tx = world.begin().await;
    tx.threads().delete(world.organization_id(), world.inbox_id(), thread_id(1)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read(&world, 1, HidingLabels::ALL).await, None);
    for labels in [vec![], strings(&["received"])] {
        let query = ThreadQuery { labels, ..world.threads() };
        assert_eq!(world.store.list_threads(&query).await.unwrap().items, []);
    }
}
