use inboxd_core::Error;
use inboxd_core::app::legal_holds::{self, LegalHoldChange};
use inboxd_core::app::{account, inboxes, messages, pods, threads};
use inboxd_core::model::{
    AuditEntry, Caller, ConnectionBounds, Inbox, LegalHold, LegalHoldScope, Member, Pod, Role, Scope,
};
use inboxd_core::testing::fixtures::{self, NOW, id, message_id};
use inboxd_core::testing::{Captured, MockTx, World};
use serde_json::{Value, json};

use super::{holds_inbox, in_inbox, locks, paths, thread_of, within, world};

fn admin() -> Caller {
    fixtures::calling(&Member { role: Role::Admin, ..fixtures::member() })
}

fn hold(inbox: Option<&Inbox>, reason: &str) -> LegalHold {
    LegalHold {
        scope: LegalHoldScope { organization_id: id(1), inbox_id: inbox.map(|inbox| inbox.inbox_id.clone()) },
        reason: reason.to_owned(),
        placed_by: admin().actor,
        placed_at: NOW,
    }
}

fn change(enabled: bool, reason: &str) -> LegalHoldChange {
    LegalHoldChange { enabled, reason: reason.to_owned() }
}

/// Expects that the caller is read again, with this role.
fn holds_person(tx: &mut MockTx, role: Role) {
    tx.members.expect_hold().once().returning(move |_, _| Ok(Some(Member { role, ..fixtures::member() })));
}

/// Expects a change under locks, of a scope with this hold, and returns the audit entries.
fn expect_change(world: &mut World, before: Option<LegalHold>) -> Captured<AuditEntry> {
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    holds_person(tx, Role::Admin);
    tx.inboxes.expect_lock_exclusive().times(..=1).returning(|_, _| Ok(Some(fixtures::inbox())));
    tx.inboxes.expect_lock_all().times(..=1).returning(|_| Ok(()));
    tx.legal_holds.expect_find().once().return_once(move |_| Ok(before));
    let recorded = Captured::<AuditEntry>::default();
    let seen = recorded.clone();
    tx.audit.checkpoint();
    tx.audit.expect_append().times(..=1).returning(move |entry: &AuditEntry, _| {
        seen.push(entry.clone());
        Ok(true)
    });
    recorded
}

#[tokio::test]
async fn hold_is_placed_changed_and_ended_with_reason() {
    let table: [(Option<LegalHold>, bool, Value, Value); 3] = [
        (None, true, json!({"legal_hold": false}), json!({"legal_hold": true, "reason": "case 7"})),
        (
            Some(hold(None, "case 6")),
            true,
            json!({"legal_hold": true, "reason": "case 6"}),
            json!({"legal_hold": true, "reason": "case 7"}),
        ),
        (
            Some(hold(None, "case 6")),
            false,
            json!({"legal_hold": true, "reason": "case 6"}),
            json!({"legal_hold": false, "reason": "case 7"}),
        ),
    ];
    for (before, enabled, old, new) in table {
        let mut world = world();
        let recorded = expect_change(&mut world, before);
        let tx = world.last_unit_of_work();
        tx.legal_holds.expect_put().times(usize::from(enabled)).returning(|stored| {
            assert_eq!(*stored, hold(None, "case 7"));
            Ok(())
        });
        tx.legal_holds.expect_remove().times(usize::from(!enabled)).returning(|_| Ok(()));
        let journal = world.journal.clone();
        let caller = within(&admin(), Scope::Organization);
        let after = legal_holds::update(&world.app(), &caller, change(enabled, " case 7 ")).await.unwrap();
        assert_eq!((after.is_some(), journal.commits()), (enabled, 1));
        let entry = recorded.only();
        assert_eq!(entry.action.as_str(), "organization.legal_hold_updated");
        assert_eq!((json!(entry.before), json!(entry.after)), (old, new));
    }
}

#[tokio::test]
async fn same_hold_of_inbox_changes_nothing() {
    for (before, enabled) in [(None, false), (Some(hold(Some(&fixtures::inbox()), "case 7")), true)] {
        let mut world = world();
        let recorded = expect_change(&mut world, before.clone());
        let journal = world.journal.clone();
        let after = legal_holds::update(&world.app(), &in_inbox(&admin()), change(enabled, "case 7")).await.unwrap();
        assert_eq!((after, journal.commits()), (before, 0));
        assert_eq!(recorded.all(), []);
    }
}

#[tokio::test]
async fn person_that_lost_their_role_meanwhile_changes_no_hold() {
    let mut world = world();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    holds_person(tx, Role::Member);
    let journal = world.journal.clone();
    let caller = within(&admin(), Scope::Organization);
    let refused = legal_holds::update(&world.app(), &caller, change(true, "case 7")).await;
    assert!(matches!(refused, Err(Error::RoleNotAllowed { .. })), "{refused:?}");
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn keys_and_connections_place_no_hold_and_reason_is_one_line() {
    let connection = ConnectionBounds { connection_id: id(60), granted: fixtures::connection().permissions };
    let table = [fixtures::caller(), Caller { connection: Some(connection), ..admin() }];
    for caller in table {
        let caller = within(&caller, Scope::Organization);
        let refused = legal_holds::update(&world().app(), &caller, change(true, "case 7")).await;
        assert!(matches!(refused, Err(Error::NotAPerson | Error::NotForConnections)));
    }
    for reason in ["", "  ", "two\nlines", &"x".repeat(301)] {
        let refused = legal_holds::update(&world().app(), &in_inbox(&admin()), change(true, reason)).await.unwrap_err();
        assert_eq!(paths(refused), ["reason"], "{reason:?}");
    }
}

/// Puts a unit of work under a hold.
fn hold_all(tx: &mut MockTx, held: &LegalHold) {
    tx.legal_holds.checkpoint();
    let (covering, any) = (held.clone(), held.clone());
    tx.legal_holds.expect_covering().times(..=1).return_once(move |_| Ok(Some(covering)));
    tx.legal_holds.expect_any().times(..=1).return_once(move |_| Ok(Some(any)));
}

#[tokio::test]
async fn nothing_under_hold_is_deleted() {
    let inbox = fixtures::inbox();
    for held in [hold(None, "case 7"), hold(Some(&inbox), "case 7")] {
        let refused = |answer: Result<(), Error>| match answer {
            Err(Error::LegalHold(inbox_id)) => assert_eq!(inbox_id, held.scope.inbox_id),
            other => panic!("{other:?}"),
        };
        let mut world = world();
        let tx = world.unit_of_work();
        holds_inbox(tx);
        hold_all(tx, &held);
        let id_of_message = message_id("<1@example.org>");
        refused(messages::delete(&world.app(), &fixtures::caller(), &inbox.inbox_id, &id_of_message).await);

        let mut world = self::world();
        world.store.expect_thread().once().returning(|_, _, _, _| Ok(Some(thread_of(&[fixtures::message_item()]))));
        let tx = world.unit_of_work();
        holds_inbox(tx);
        hold_all(tx, &held);
        refused(threads::delete(&world.app(), &in_inbox(&fixtures::caller()), id(10)).await);

        let mut world = self::world();
        let tx = world.unit_of_work();
        tx.inboxes.expect_lock().once().returning(|_, _| Ok(Some(fixtures::inbox())));
        hold_all(tx, &held);
        refused(inboxes::delete(&world.app(), &in_inbox(&fixtures::caller()), &inbox.inbox_id).await);

        let mut world = self::world();
        let tx = world.unit_of_work();
        let pod = Pod {
            organization_id: id(1),
            pod_id: id(40),
            name: "Acme".to_owned(),
            client_id: None,
            quarantine: None,
            created_at: NOW,
            updated_at: NOW,
        };
        tx.pods.expect_lock().once().return_once(move |_, _| Ok(Some(pod)));
        tx.pods.expect_count_inboxes().once().returning(|_, _| Ok(0));
        hold_all(tx, &held);
        refused(pods::delete(&world.app(), &fixtures::caller(), id(40)).await);

        let mut world = self::world();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        hold_all(tx, &held);
        refused(account::remove(&world.app(), id(1)).await);
    }
}

#[tokio::test]
async fn retention_passes_over_inbox_under_hold() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    tx.inboxes
        .expect_lock_expiring()
        .once()
        .returning(|_, _| Ok(Some(Inbox { retention_days: Some(1), ..fixtures::inbox() })));
    hold_all(tx, &hold(None, "case 7"));
    tx.inboxes.expect_postpone_expiry().once().returning(|_, until| {
        assert_eq!(until, NOW + time::Duration::hours(1));
        Ok(())
    });
    let journal = world.journal.clone();
    assert!(inboxes::expire_messages(&world.app(), None).await.unwrap().is_some());
    assert_eq!(journal.commits(), 1);
}
