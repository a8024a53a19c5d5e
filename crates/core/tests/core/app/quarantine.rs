use inboxd_core::Error;
use inboxd_core::app::inboxes::{self, InboxChange};
use inboxd_core::app::pods::{self, PodChange};
use inboxd_core::model::{Caller, Inbox, Member, Permission, Pod, QuarantineMode, Role};
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, id};
use serde_json::{Value, json};

use super::{in_inbox, records_audit, world};

/// A change of an own mode by an agent or a person.
struct Case {
    before: Option<QuarantineMode>,
    after: Option<QuarantineMode>,
    is_person: bool,
    /// Facts before and after the change; `None` for a refused one.
    recorded: Option<(Value, Value)>,
}

fn cases() -> [Case; 4] {
    let hold = Some(QuarantineMode::Hold);
    let monitor = Some(QuarantineMode::Monitor);
    let (none, holding) = (json!({}), json!({"quarantine": "hold"}));
    let monitored = json!({"quarantine": "monitor"});
    [
        Case { before: None, after: hold, is_person: false, recorded: Some((none.clone(), holding.clone())) },
        Case { before: hold, after: monitor, is_person: false, recorded: None },
        Case { before: hold, after: monitor, is_person: true, recorded: Some((holding, monitored.clone())) },
        Case { before: monitor, after: None, is_person: true, recorded: Some((monitored, none)) },
    ]
}

fn admin() -> Member {
    Member { role: Role::Admin, ..fixtures::member() }
}

/// Returns the caller, and expects that a person is read again.
fn caller(world: &mut World, case: &Case) -> Caller {
    if !case.is_person {
        return fixtures::caller();
    }
    world.last_unit_of_work().members.expect_hold().once().returning(|_, _| Ok(Some(admin())));
    fixtures::calling(&admin())
}

fn is_refused<T>(changed: &Result<T, Error>) -> bool {
    matches!(changed, Err(Error::MissingPermission(Permission::AgentArmorRelease)))
}

#[tokio::test]
async fn own_quarantine_of_inbox_is_loosened_by_a_person_alone() {
    for case in cases() {
        let (before, after, mut world) = (case.before, case.after, world());
        let tx = world.unit_of_work();
        tx.inboxes
            .expect_lock()
            .once()
            .returning(move |_, _| Ok(Some(Inbox { quarantine: before, ..fixtures::inbox() })));
        tx.inboxes.expect_update().times(..=1).returning(move |inbox| {
            assert_eq!(inbox.quarantine, after);
            Ok(())
        });
        let audit = records_audit(tx);
        let (caller, journal) = (caller(&mut world, &case), world.journal.clone());
        let change = InboxChange { quarantine: Some(after), ..InboxChange::default() };
        let changed = inboxes::update(&world.app(), &in_inbox(&caller), &fixtures::inbox().inbox_id, change).await;
        assert_eq!(
            (journal.commits(), is_refused(&changed)),
            (usize::from(case.recorded.is_some()), case.recorded.is_none())
        );
        let recorded = audit.all().pop().map(|entry| {
            assert_eq!(entry.action.as_str(), "inbox.quarantine_updated");
            (json!(entry.before), json!(entry.after))
        });
        assert_eq!(recorded, case.recorded);
    }
}

#[tokio::test]
async fn own_quarantine_of_pod_is_loosened_by_a_person_alone() {
    for case in cases() {
        let (before, after, mut world) = (case.before, case.after, World::default());
        let tx = world.unit_of_work();
        tx.pods.expect_lock().once().returning(move |_, _| Ok(Some(Pod { quarantine: before, ..fixtures::pod() })));
        tx.pods.expect_update().times(..=1).returning(move |pod| {
            assert_eq!((pod.quarantine, &pod.name), (after, &fixtures::pod().name));
            Ok(())
        });
        let audit = records_audit(tx);
        let (caller, journal) = (caller(&mut world, &case), world.journal.clone());
        let change = PodChange { quarantine: Some(after), ..PodChange::default() };
        let changed = pods::update(&world.app(), &caller, id(2), change).await;
        assert_eq!(
            (journal.commits(), is_refused(&changed)),
            (usize::from(case.recorded.is_some()), case.recorded.is_none())
        );
        let recorded = audit.all().pop().map(|entry| {
            assert_eq!(entry.action.as_str(), "pod.quarantine_updated");
            (json!(entry.before), json!(entry.after))
        });
        assert_eq!(recorded, case.recorded);
    }
}

#[tokio::test]
async fn retention_and_quarantine_have_an_audit_entry_each() {
    let mut world = world();
    let tx = world.unit_of_work();
    tx.inboxes.expect_lock().once().returning(|_, _| Ok(Some(fixtures::inbox())));
    tx.inboxes.expect_update().once().returning(|_| Ok(()));
    let audit = records_audit(tx);
    let (retention_days, quarantine) = (Some(Some(30)), Some(Some(QuarantineMode::Hold)));
    let change = InboxChange { retention_days, quarantine, ..InboxChange::default() };
    let caller = in_inbox(&fixtures::caller());
    inboxes::update(&world.app(), &caller, &fixtures::inbox().inbox_id, change).await.unwrap();
    let after: Vec<Value> = audit.all().into_iter().map(|entry| json!(entry.after)).collect();
    assert_eq!(after, [json!({"retention_days": 30}), json!({"quarantine": "hold"})]);
}
