use inboxd_core::Error;
use inboxd_core::app::inboxes::{self, InboxChange};
use inboxd_core::model::{AuditEntry, Caller, Inbox, MessageItem, OrganizationId, Permission, UsageChange};
use inboxd_core::ports::StoreError;
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, World};
use serde_json::json;
use time::{Duration, OffsetDateTime};

use super::{in_inbox, paths, permissions, thread_of, world};

fn kept_for(days: u32) -> Inbox {
    Inbox { retention_days: Some(days), ..fixtures::inbox() }
}

fn message(number: usize) -> MessageItem {
    MessageItem {
        message_id: message_id(&format!("<{number}@example.org>")),
        timestamp: NOW - Duration::days(40),
        size: 10,
        ..fixtures::message_item()
    }
}

/// Expects an expiry with these expired messages, and returns the time of the next one.
fn expect_expiry(world: &mut World, expired: Vec<MessageItem>) -> Captured<OffsetDateTime> {
    let tx = world.unit_of_work();
    tx.inboxes.expect_lock_expiring().once().returning(|after, now| {
        assert_eq!((after, now), (None, NOW));
        Ok(Some(kept_for(30)))
    });
    let found = expired.clone();
    tx.messages.expect_expired().once().returning(move |_, _, before, limit| {
        assert_eq!(before, NOW - Duration::days(30));
        Ok(found.iter().take(limit as usize).cloned().collect())
    });
    let stored = expired.clone();
    tx.messages
        .expect_items()
        .once()
        .returning(move |_, _, ids| Ok(stored.iter().filter(|item| ids.contains(&item.message_id)).cloned().collect()));
    tx.threads
        .expect_lock()
        .once()
        .returning(move |_, _, _| Ok(if expired.is_empty() { vec![] } else { vec![thread_of(&expired)] }));
    tx.messages.expect_of_thread().times(..=1).returning(|_, _, _, _, _| Ok(vec![]));
    let due = Captured::default();
    let seen = due.clone();
    tx.inboxes.expect_postpone_expiry().once().returning(move |_, until| {
        seen.push(until);
        Ok(())
    });
    due
}

#[tokio::test]
async fn expired_messages_are_deleted_with_empty_threads_and_usage() {
    let mut world = World::default();
    let due = expect_expiry(&mut world, vec![message(1), message(2)]);
    let tx = world.last_unit_of_work();
    tx.messages.expect_delete().once().returning(|_, _, ids| {
        assert_eq!(ids, [message_id("<1@example.org>"), message_id("<2@example.org>")]);
        Ok(())
    });
    tx.threads.expect_delete().once().returning(|_, _, _| Ok(()));
    tx.usage.expect_change().once().returning(|changes| {
        assert_eq!(changes[0].2, UsageChange { storage_bytes: -20, messages: -2, threads: -1 });
        Ok(())
    });
    let journal = world.journal.clone();
    let turn = inboxes::expire_messages(&world.app(), None).await.unwrap().unwrap();
    assert!(turn.failure.is_none());
    assert_eq!((turn.organization_id, due.only()), (id::<OrganizationId>(1), NOW + Duration::hours(1)));
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn full_batch_leaves_inbox_due() {
    let mut world = World::default();
    let due = expect_expiry(&mut world, (0..300).map(message).collect());
    let tx = world.last_unit_of_work();
    tx.messages.expect_delete().once().returning(|_, _, ids| {
        assert_eq!(ids.len(), 200);
        Ok(())
    });
    tx.threads.expect_delete().once().returning(|_, _, _| Ok(()));
    tx.usage.expect_change().once().returning(|_| Ok(()));
    inboxes::expire_messages(&world.app(), None).await.unwrap();
    assert_eq!(due.only(), NOW);
}

#[tokio::test]
async fn nothing_due_ends_round() {
    let mut world = World::default();
    world.unit_of_work().inboxes.expect_lock_expiring().once().returning(|after, _| {
        assert_eq!(after, Some(id(7)));
        Ok(None)
    });
    let journal = world.journal.clone();
    assert!(inboxes::expire_messages(&world.app(), Some(id(7))).await.unwrap().is_none());
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn inbox_that_fails_is_postponed_and_ends_no_round() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    tx.inboxes.expect_lock_expiring().once().returning(|_, _| Ok(Some(kept_for(30))));
    let broken = StoreError::Failed("unreadable row".to_owned());
    tx.messages.expect_expired().once().return_once(|_, _, _, _| Err(broken));
    let due = Captured::default();
    let seen = due.clone();
    world.unit_of_work().inboxes.expect_postpone_expiry().once().returning(move |_, until| {
        seen.push(until);
        Ok(())
    });
    let journal = world.journal.clone();
    let turn = inboxes::expire_messages(&world.app(), None).await.unwrap().unwrap();
    assert_eq!((turn.organization_id, due.only()), (id::<OrganizationId>(1), NOW + Duration::minutes(5)));
    let (inbox_id, error) = turn.failure.unwrap();
    assert_eq!(inbox_id, fixtures::inbox().inbox_id);
    assert!(matches!(error, Error::Store(StoreError::Failed(_))), "{error}");
    assert_eq!(journal.commits(), 1);
}

async fn change(world: World, caller: &Caller, days: Option<u32>) -> Result<Inbox, Error> {
    let change = InboxChange { retention_days: Some(days), ..InboxChange::default() };
    inboxes::update(&world.app(), &in_inbox(caller), &fixtures::inbox().inbox_id, change).await
}

#[tokio::test]
async fn changed_retention_is_audited_and_same_one_is_not() {
    let table = [(Some(30), Some(json!({ "retention_days": 30 }))), (None, Some(json!({}))), (Some(90), None)];
    for (days, after) in table {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.inboxes.expect_lock().once().returning(|_, _| Ok(Some(kept_for(90))));
        tx.inboxes.expect_update().once().returning(move |inbox| {
            assert_eq!(inbox.retention_days, days);
            Ok(())
        });
        let recorded = Captured::<AuditEntry>::default();
        let seen = recorded.clone();
        tx.audit.checkpoint();
        tx.audit.expect_append().times(usize::from(after.is_some())).returning(move |entry, _| {
            seen.push(entry.clone());
            Ok(true)
        });
        change(world, &fixtures::caller(), days).await.unwrap();
        if let Some(after) = after {
            let entry = recorded.only();
            assert_eq!(entry.action.as_str(), "inbox.retention_updated");
            assert_eq!(json!(entry.before), json!({ "retention_days": 90 }));
            assert_eq!(json!(entry.after), after);
        }
    }
}

#[tokio::test]
async fn retention_needs_permission_to_delete_and_days_within_bounds() {
    let caller = Caller { permissions: permissions(&["inbox_update"]), ..fixtures::caller() };
    for days in [None, Some(1)] {
        let refused = change(world(), &caller, days).await;
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::MessageDelete))), "{days:?}");
    }
    for days in [0, 3651, u32::MAX] {
        let refused = change(world(), &fixtures::caller(), Some(days)).await.unwrap_err();
        assert_eq!(paths(refused), ["retention_days"], "{days}");
    }
}
