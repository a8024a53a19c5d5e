use std::collections::BTreeSet;

use inboxd_core::app::inboxes;
use inboxd_core::app::pods::{NewPod, PodChange, create, delete, get, list, update};
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::model::{
    Caller, ListLevel, Member, Page, PageRequest, Permission, Plan, Pod, PodId, Reach, Scope, WebhookId,
};
use inboxd_core::ports::PodQuery;
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, LimitReached, Resource};
use serde_json::json;

use super::{locks, paths, permissions, records_audit, within, world};

fn pod() -> Pod {
    Pod { pod_id: id(40), ..fixtures::pod() }
}

fn pod_caller() -> Caller {
    Caller { reach: Reach::Pod(id(40)), ..fixtures::caller() }
}

#[tokio::test]
async fn pod_without_name_gets_readable_default() {
    let mut world = World::default();
    let stored = Captured::<Pod>::default();
    let seen = stored.clone();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.pods.expect_count().once().returning(|_| Ok(1));
    tx.accounts.expect_insert_pod().once().returning(move |pod| {
        seen.push(pod.clone());
        Ok(())
    });
    let made = create(&world.app(), &fixtures::caller(), NewPod::default()).await.unwrap();
    assert_eq!(stored.only(), made);
    assert!(made.name.chars().any(char::is_alphabetic), "{}", made.name);
}

#[tokio::test]
async fn default_pod_counts_against_pod_limit() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.pods.expect_count().once().returning(|_| Ok(2));
    let refused = create(&world.app(), &fixtures::caller(), NewPod::default()).await.unwrap_err();
    assert!(matches!(refused, Error::LimitReached { which: LimitReached::Pods, limit: 2, verified: true }));
}

#[tokio::test]
async fn enterprise_creates_pods_without_count() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, inboxd_core::model::Organization { plan: Plan::Enterprise, ..fixtures::organization() });
    tx.accounts.expect_insert_pod().once().returning(|_| Ok(()));
    create(&world.app(), &fixtures::caller(), NewPod::default()).await.unwrap();
}

#[tokio::test]
async fn repeated_client_id_returns_pod_unless_deleted() {
    for is_live in [true, false] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        tx.pods.expect_find_by_client_id().once().returning(move |_, _| Ok(Some((pod(), is_live))));
        let new = NewPod { name: None, client_id: Some("one".to_owned()) };
        let answer = create(&world.app(), &fixtures::caller(), new).await;
        assert!(if is_live { answer.unwrap() == pod() } else { matches!(answer, Err(Error::ClientIdSpent(_))) });
    }
}

#[tokio::test]
async fn invalid_name_and_client_id_are_named_together() {
    let new = NewPod { name: Some(" ".to_owned()), client_id: Some("a b".to_owned()) };
    let refused = create(&World::default().app(), &fixtures::caller(), new).await.unwrap_err();
    assert_eq!(paths(refused), ["name", "client_id"]);
}

#[tokio::test]
async fn pod_key_creates_and_deletes_no_pods() {
    let app = World::default().app();
    let refused = create(&app, &pod_caller(), NewPod::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::PodCreate))));
    let refused = delete(&app, &pod_caller(), id(40)).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::PodDelete))));
}

#[tokio::test]
async fn default_pod_and_pod_with_inboxes_cannot_be_deleted() {
    for (pod_id, live, expected) in [(2, 0, "it is the default pod"), (40, 3, "3 of its inboxes are live")] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        tx.pods.expect_lock().once().returning(|_, pod_id| Ok(Some(Pod { pod_id, ..pod() })));
        tx.pods.expect_count_inboxes().returning(move |_, _| Ok(live));
        let journal = world.journal.clone();
        let refused = delete(&world.app(), &fixtures::caller(), id(pod_id)).await.unwrap_err();
        assert!(matches!(refused, Error::CannotDelete { ref used_by, .. } if used_by == expected), "{refused:?}");
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn empty_pod_is_deleted_with_webhooks_and_keys() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    tx.pods.expect_lock().once().returning(|_, _| Ok(Some(pod())));
    tx.pods.expect_count_inboxes().once().returning(|_, _| Ok(0));
    tx.pods.expect_delete().once().returning(|_, _, _| Ok(()));
    tx.lists.expect_delete_all().once().returning(|_, level| {
        assert_eq!(level, &ListLevel::Pod(id(40)));
        Ok(3)
    });
    tx.api_keys.expect_revoke_of_pod().once().returning(|_, pod_id, at| {
        assert_eq!((pod_id, at), (id(40), NOW));
        Ok((1..=101).map(id).collect())
    });
    tx.webhooks.expect_leave_pod().once().returning(|organization_id, pod_id, at| {
        assert_eq!((organization_id, pod_id, at), (id(1), id(40), NOW));
        Ok(vec![id(50)])
    });
    let journal = world.journal.clone();
    let recorded = records_audit(world.last_unit_of_work());
    delete(&world.app(), &fixtures::caller(), id(40)).await.unwrap();
    assert_eq!(journal.commits(), 1);
    let entry = recorded.only();
    assert_eq!((entry.action.as_str(), entry.resource_id), ("pod.deleted", id::<PodId>(40).to_string()));
    let facts = entry.before.unwrap();
    assert_eq!(
        (&facts["name"], &facts["list_entries"], &facts["api_keys"]),
        (&json!(pod().name), &json!(3), &json!(101))
    );
    assert_eq!(facts["api_key_ids"].as_array().unwrap().len(), 100, "an entry is bounded");
    assert_eq!(facts["webhook_ids"], json!([id::<WebhookId>(50).to_string()]));
}

#[tokio::test]
async fn pod_key_has_access_to_its_pod_only() {
    let mut world = World::default();
    world.store.expect_pod().returning(|_, pod_id| Ok(Some(Pod { pod_id, ..pod() })));
    let app = world.app();
    assert_eq!(get(&app, &pod_caller(), id(40)).await.unwrap(), pod());
    assert!(matches!(get(&app, &pod_caller(), id(41)).await, Err(Error::PodOutOfScope)));
    assert!(matches!(update(&app, &pod_caller(), id(41), PodChange::default()).await, Err(Error::PodOutOfScope)));
    let elsewhere = AuthorizedCaller::<InboxRead>::new(pod_caller(), Scope::Pod(id(41)));
    assert!(matches!(elsewhere, Err(Error::PodOutOfScope)));
    assert_eq!(within::<InboxRead>(&fixtures::caller(), Scope::Pod(id(40))).reach, Reach::Pod(id(40)));
}

#[tokio::test]
async fn inbox_of_other_pod_is_not_found_below_pod() {
    let mut world = world();
    world.store.expect_pod().returning(|_, pod_id| Ok(Some(Pod { pod_id, ..pod() })));
    let app = world.app();
    let scout = inbox_id("scout@inboxd.example");
    assert!(inboxes::get(&app, &within(&fixtures::caller(), Scope::Pod(id(2))), &scout).await.is_ok());
    let refused = inboxes::get(&app, &within(&fixtures::caller(), Scope::Pod(id(40))), &scout).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Inbox, .. })));
    let refused = inboxes::get(&app, &within(&pod_caller(), Scope::Pod(id(40))), &scout).await;
    assert!(matches!(refused, Err(Error::PodOutOfScope)));
}

#[tokio::test]
async fn pod_list_is_limited_to_key_scope() {
    let theirs = BTreeSet::from([inbox_id("scout@inboxd.example"), inbox_id("other@inboxd.example")]);
    let limited = fixtures::calling(&Member { inbox_ids: theirs.clone(), ..fixtures::member() });
    for (caller, pod_id, of_inboxes) in
        [(fixtures::caller(), None, None), (pod_caller(), Some(id(40)), None), (limited, None, Some(theirs))]
    {
        let mut world = World::default();
        let expected = PodQuery { organization_id: id(1), pod_id, of_inboxes, page: PageRequest::default() };
        world.store.expect_list_pods().once().returning(move |query| {
            assert_eq!(*query, expected);
            Ok(Page { items: vec![pod()], next: None })
        });
        assert_eq!(list(&world.app(), &caller, PageRequest::default()).await.unwrap().items, [pod()]);
    }
    let refused = list(&World::default().app(), &fixtures::inbox_caller(), PageRequest::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::PodRead))));
}

#[tokio::test]
async fn limited_member_reads_pods_of_own_inboxes() {
    let theirs = BTreeSet::from([inbox_id("scout@inboxd.example")]);
    let limited = fixtures::calling(&Member { inbox_ids: theirs.clone(), ..fixtures::member() });
    for is_theirs in [true, false] {
        let mut world = World::default();
        world.store.expect_pod().returning(|_, _| Ok(Some(pod())));
        let asked = theirs.clone();
        world.store.expect_pod_has_any().returning(move |organization_id, pod_id, inbox_ids| {
            assert_eq!((organization_id, pod_id, inbox_ids), (id(1), id(40), &asked));
            Ok(is_theirs)
        });
        let app = world.app();
        let read = get(&app, &limited, id(40)).await;
        assert_eq!(read.is_ok(), is_theirs);
        assert!(is_theirs || matches!(read, Err(Error::NotTheirInbox { .. })));
        // The other content of the pod is out of scope for the member.
        let whole = AuthorizedCaller::<InboxRead>::new(limited.clone(), Scope::Pod(id(40)));
        assert!(matches!(whole, Err(Error::NotTheirInbox { .. })));
    }
}

#[tokio::test]
async fn pod_rename_needs_permission_and_name() {
    let reader = Caller { permissions: permissions(&["pod_read"]), ..fixtures::caller() };
    let app = World::default().app();
    let refused = update(&app, &reader, id(40), PodChange::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::PodUpdate))));
    let change = PodChange { name: Some(String::new()), ..PodChange::default() };
    let refused = update(&app, &fixtures::caller(), id(40), change).await.unwrap_err();
    assert_eq!(paths(refused), ["name"]);
}
