//! Operator actions, and the organization as its keys see it.

use std::collections::BTreeSet;

use inboxd_core::app::account::{change_plan, overview};
use inboxd_core::app::inboxes::list;
use inboxd_core::app::purge_deleted_inboxes;
use inboxd_core::model::{
    AccountIds, Caller, Member, Organization, OrganizationOverview, Page, PageRequest, Permission, Plan, PlanLimits,
    Reach, Role, Scope,
};
use inboxd_core::ports::InboxQuery;
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use super::{locks, within};

#[tokio::test]
async fn new_plan_applies_immediately() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    let updated = Captured::<Organization>::default();
    let seen = updated.clone();
    tx.accounts.expect_update().once().returning(move |organization| {
        seen.push(organization.clone());
        Ok(())
    });
    world.clock.advance(Duration::HOUR);
    let journal = world.journal.clone();
    let changed = change_plan(&world.app(), id(1), Plan::Business).await.unwrap();
    assert_eq!((changed.limits(), changed.updated_at), (PlanLimits::of(Plan::Business), NOW + Duration::HOUR));
    assert_eq!((updated.only(), journal.commits()), (changed, 1));
}

#[tokio::test]
async fn plan_of_unknown_organization_cannot_be_changed() {
    let mut world = World::default();
    world.unit_of_work().accounts.expect_lock().once().returning(|_| Ok(None));
    let journal = world.journal.clone();
    let refused = change_plan(&world.app(), id(1), Plan::Business).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Organization, .. })));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn purge_returns_whether_more_may_remain() {
    for (removed, more) in [(500, true), (499, false), (0, false)] {
        let mut world = World::default();
        world.unit_of_work().inboxes.expect_purge_deleted().once().returning(move |limit| {
            assert_eq!(limit, 500);
            Ok(removed)
        });
        let journal = world.journal.clone();
        assert_eq!(purge_deleted_inboxes(&world.app()).await.unwrap(), more);
        assert_eq!(journal.commits(), 1);
    }
}

#[tokio::test]
async fn organization_is_visible_to_organization_keys() {
    let shown = OrganizationOverview {
        organization: fixtures::organization(),
        inbox_count: 1,
        domain_count: 0,
        pod_count: 1,
        webhook_count: 0,
        storage_bytes: 7,
        account: AccountIds::default(),
    };
    let mut world = World::default();
    let answer = shown.clone();
    world.store.expect_overview().once().return_once(move |_| Ok(Some(answer)));
    let app = world.app();
    assert_eq!(overview(&app, &fixtures::caller()).await.unwrap(), shown);
    let refused = overview(&app, &fixtures::inbox_caller()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::OrganizationRead))));
}

#[tokio::test]
async fn inbox_list_is_limited_to_key_scope() {
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let own = fixtures::inbox().inbox_id;
    let theirs = BTreeSet::from([own.clone(), fixtures::inbox_id("other@inboxd.example")]);
    let member = fixtures::calling(&Member { inbox_ids: theirs.clone(), ..fixtures::member() });
    let admin = fixtures::calling(&Member { inbox_ids: theirs.clone(), role: Role::Admin, ..fixtures::member() });
    let table = [
        (fixtures::caller(), None, None, None),
        (pod, Some(id(2)), None, None),
        (fixtures::inbox_caller(), None, Some(own), None),
        (fixtures::calling(&fixtures::member()), None, None, None),
        (member, None, None, Some(theirs)),
        (admin, None, None, None),
    ];
    for (caller, pod_id, inbox_id, among) in table {
        let mut world = World::default();
        let expected = InboxQuery { organization_id: id(1), pod_id, inbox_id, among, page: PageRequest::default() };
        world.store.expect_list_inboxes().once().returning(move |query| {
            assert_eq!(*query, expected);
            Ok(Page { items: vec![fixtures::inbox()], next: None })
        });
        assert_eq!(
            list(&world.app(), &within(&caller, Scope::Organization), PageRequest::default()).await.unwrap().items,
            [fixtures::inbox()]
        );
    }
}
