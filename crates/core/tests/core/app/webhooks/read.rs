use std::collections::BTreeSet;

use inboxd_core::model::{Caller, Member, Page, PageRequest, Permission, Pod, Reach, Scope, Webhook};
use inboxd_core::ports::WebhookScope;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::{self, id, inbox_id};
use inboxd_core::{Error, Resource};

use super::{delete, finds, get, header_names, list};
use crate::app::{permissions, world};

fn scout() -> inboxd_core::model::InboxId {
    fixtures::inbox().inbox_id
}

fn with_pods(mut world: World) -> World {
    world.store.expect_pod().returning(|_, pod_id| Ok(Some(Pod { pod_id, ..fixtures::pod() })));
    world
}

#[tokio::test]
async fn webhook_is_found_by_callers_and_paths_of_its_scope() {
    let in_inbox = || Reach::Inbox { pod_id: id(2), inbox_id: scout() };
    let pod_caller = |number| Caller { reach: Reach::Pod(id(number)), ..fixtures::caller() };
    let limited = fixtures::calling(&Member { inbox_ids: BTreeSet::from([scout()]), ..fixtures::member() });
    for (caller, within, place, is_there) in [
        (fixtures::caller(), Scope::Organization, Reach::Organization, true),
        (fixtures::caller(), Scope::Organization, Reach::Pod(id(2)), true),
        (fixtures::caller(), Scope::Organization, in_inbox(), true),
        (fixtures::caller(), Scope::Pod(id(2)), Reach::Organization, false),
        (fixtures::caller(), Scope::Pod(id(2)), Reach::Pod(id(2)), true),
        (fixtures::caller(), Scope::Pod(id(2)), in_inbox(), true),
        (fixtures::caller(), Scope::Pod(id(3)), in_inbox(), false),
        (fixtures::caller(), Scope::Inbox(scout()), in_inbox(), true),
        (fixtures::caller(), Scope::Inbox(scout()), Reach::Pod(id(2)), false),
        (pod_caller(2), Scope::Organization, Reach::Pod(id(2)), true),
        (pod_caller(2), Scope::Organization, in_inbox(), true),
        (pod_caller(2), Scope::Organization, Reach::Organization, false),
        (pod_caller(3), Scope::Organization, in_inbox(), false),
        (fixtures::inbox_caller(), Scope::Organization, in_inbox(), true),
        (fixtures::inbox_caller(), Scope::Organization, Reach::Pod(id(2)), false),
        (limited.clone(), Scope::Organization, in_inbox(), true),
        (limited, Scope::Organization, Reach::Organization, false),
    ] {
        let mut world = with_pods(world());
        let webhook = Webhook { place, ..fixtures::webhook() };
        finds(&mut world, webhook.clone());
        let found = get(&world.app(), &caller, &within, id(50)).await;
        match found {
            Ok(found) => assert!(is_there && found == webhook, "{caller:?} {within:?}"),
            Err(Error::NotFound { resource: Resource::Webhook, .. }) => assert!(!is_there, "{caller:?} {within:?}"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn webhook_list_is_limited_to_path_and_key_scope() {
    let scope = || WebhookScope { organization_id: id(1), pod_id: None, inbox_id: None, among: None };
    let theirs = BTreeSet::from([scout(), inbox_id("other@inboxd.example")]);
    let limited = fixtures::calling(&Member { inbox_ids: theirs.clone(), ..fixtures::member() });
    let pod_caller = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, within, expected) in [
        (fixtures::caller(), Scope::Organization, scope()),
        (fixtures::caller(), Scope::Pod(id(2)), WebhookScope { pod_id: Some(id(2)), ..scope() }),
        (fixtures::caller(), Scope::Inbox(scout()), WebhookScope { inbox_id: Some(scout()), ..scope() }),
        (pod_caller, Scope::Organization, WebhookScope { pod_id: Some(id(2)), ..scope() }),
        (fixtures::inbox_caller(), Scope::Organization, WebhookScope { inbox_id: Some(scout()), ..scope() }),
        (limited, Scope::Organization, WebhookScope { among: Some(theirs), ..scope() }),
    ] {
        let mut world = with_pods(world());
        world.store.expect_list_webhooks().once().returning(move |asked, page| {
            assert_eq!((asked, page), (&expected, &PageRequest::default()));
            Ok(Page { items: vec![fixtures::webhook()], next: None })
        });
        let listed = list(&world.app(), &caller, &within, PageRequest::default()).await.unwrap();
        assert_eq!(listed.items, [fixtures::webhook()]);
    }
}

#[tokio::test]
async fn each_webhook_action_needs_its_permission() {
    let app = World::default().app();
    let without = Caller { permissions: permissions(&["inbox_read"]), ..fixtures::caller() };
    let here = Scope::Organization;
    let refusals = [
        (list(&app, &without, &here, PageRequest::default()).await.map(drop), Permission::WebhookRead),
        (get(&app, &without, &here, id(50)).await.map(drop), Permission::WebhookRead),
        (header_names(&app, &without, &here, id(50)).await.map(drop), Permission::WebhookRead),
        (delete(&app, &without, &here, id(50)).await, Permission::WebhookDelete),
    ];
    for (refusal, needed) in refusals {
        assert!(matches!(refusal, Err(Error::MissingPermission(permission)) if permission == needed), "{refusal:?}");
    }
    let member = fixtures::calling(&fixtures::member());
    let refusal = delete(&app, &member, &here, id(50)).await;
    assert!(matches!(refusal, Err(Error::RoleNotAllowed { permission: Permission::WebhookDelete, .. })));
}

#[tokio::test]
async fn deleted_webhook_is_not_found_and_not_deleted_again() {
    for is_there in [true, false] {
        let mut world = world();
        finds(&mut world, fixtures::webhook());
        world.unit_of_work().webhooks.expect_delete().once().returning(move |organization_id, webhook_id| {
            assert_eq!((organization_id, webhook_id), (id(1), id(50)));
            Ok(is_there)
        });
        let journal = world.journal.clone();
        let deleted = delete(&world.app(), &fixtures::caller(), &Scope::Organization, id(50)).await;
        assert_eq!((deleted.is_ok(), journal.commits()), (is_there, usize::from(is_there)));
    }
}
