use inboxd_core::app::App;
use inboxd_core::app::inboxes::{self, InboxChange, MetadataChange, NewInbox};
use inboxd_core::model::{
    ApiKeyId, Caller, Inbox, InboxId, ListLevel, Metadata, MetadataValue, Organization, Permission, Plan, Reach, Scope,
};
use inboxd_core::ports::{Constraint, StoreError};
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, World};
use inboxd_core::{Error, LimitReached, Resource};
use serde_json::json;

use super::{locks, paths, permissions, records_audit, world};

authorizing! { inboxes:
    create(new: NewInbox) -> Inbox;
    get(inbox_id: &InboxId) -> Inbox;
    update(inbox_id: &InboxId, change: InboxChange) -> Inbox;
    delete(inbox_id: &InboxId) -> ();
}

fn named(username: &str) -> NewInbox {
    NewInbox { username: Some(username.to_owned()), ..NewInbox::default() }
}

/// An environment whose organization has that many inboxes and stored bytes.
fn with_usage(organization: Organization, inboxes: u64, bytes: u64) -> World {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, organization);
    tx.inboxes.expect_count().times(..=1).returning(move |_| Ok(inboxes));
    tx.usage.expect_storage_bytes().times(..=1).returning(move |_| Ok(bytes));
    tx.pods.expect_hold().times(..=1).returning(|_, _| Ok(true));
    tx.members.expect_reads().times(..=1).returning(|_| Ok(false));
    world
}

fn expect_insert(world: &mut World) -> Captured<Inbox> {
    let inserted = Captured::default();
    let seen = inserted.clone();
    world.last_unit_of_work().inboxes.expect_insert().once().returning(move |inbox| {
        seen.push(inbox.clone());
        Ok(())
    });
    inserted
}

async fn made(organization: Organization, caller: &Caller, new: NewInbox) -> Inbox {
    let mut world = with_usage(organization, 0, 0);
    let inserted = expect_insert(&mut world);
    let journal = world.journal.clone();
    let inbox = create(&world.app(), caller, &Scope::Organization, new).await.unwrap();
    assert_eq!(inserted.only(), inbox);
    assert_eq!(journal.commits(), 1);
    inbox
}

#[tokio::test]
async fn verified_organization_creates_inbox_on_service_domain() {
    let inbox = made(fixtures::organization(), &fixtures::caller(), named("Agent.7")).await;
    assert_eq!(inbox.inbox_id.as_str(), "agent.7@inboxd.example");
    assert_eq!((inbox.organization_id, inbox.pod_id), (id(1), id(2)));
    let asked = NewInbox { domain: Some("INBOXD.example".to_owned()), ..named("b") };
    assert_eq!(made(fixtures::organization(), &fixtures::caller(), asked).await.inbox_id.domain(), "inboxd.example");
}

#[tokio::test]
async fn unverified_organization_creates_inbox_on_sign_up_domain() {
    let inbox = made(fixtures::unverified(), &fixtures::caller(), named("agent")).await;
    assert_eq!(inbox.inbox_id.as_str(), "agent@signup.inboxd.example");
}

#[tokio::test]
async fn missing_username_is_generated() {
    let inbox = made(fixtures::organization(), &fixtures::caller(), NewInbox::default()).await;
    assert_eq!(inbox.inbox_id.username().len(), 10);
}

#[tokio::test]
async fn pod_key_creates_inboxes_in_its_pod() {
    let caller = Caller { reach: Reach::Pod(id(77)), ..fixtures::caller() };
    assert_eq!(made(fixtures::organization(), &caller, named("agent")).await.pod_id, id(77));
}

#[tokio::test]
async fn foreign_domain_is_refused() {
    let table = [
        (fixtures::organization(), "example.org"),
        (fixtures::organization(), "signup.inboxd.example"),
        (fixtures::unverified(), "inboxd.example"),
    ];
    for (organization, domain) in table {
        let mut world = with_usage(organization, 0, 0);
        world.last_unit_of_work().domains.expect_held().times(..=1).returning(|_, _| Ok(Vec::new()));
        let new = NewInbox { domain: Some(domain.to_owned()), ..named("agent") };
        let refused = create(&world.app(), &fixtures::caller(), &Scope::Organization, new).await;
        assert!(matches!(refused, Err(Error::DomainNotVerified { domain: named, .. }) if named == domain));
    }
}

#[tokio::test]
async fn inbox_caps_are_checked_under_organization_lock() {
    let gb = 1_000_000_000;
    let table = [
        (fixtures::organization(), 3, 0, LimitReached::Inboxes),
        (fixtures::unverified(), 1, 0, LimitReached::Inboxes),
        (fixtures::organization(), 2, gb, LimitReached::Storage),
    ];
    for (organization, inboxes, bytes, expected) in table {
        let world = with_usage(organization, inboxes, bytes);
        let journal = world.journal.clone();
        let refused = create(&world.app(), &fixtures::caller(), &Scope::Organization, named("agent")).await;
        assert!(matches!(refused, Err(Error::LimitReached { which, .. }) if which == expected));
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn inbox_caps_use_current_plan() {
    let stale = Caller { organization: fixtures::unverified(), ..fixtures::caller() };
    let mut world = with_usage(fixtures::organization(), 2, 0);
    expect_insert(&mut world);
    assert!(create(&world.app(), &stale, &Scope::Organization, named("agent")).await.is_ok());
}

#[tokio::test]
async fn enterprise_inboxes_are_not_counted() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, Organization { plan: Plan::Enterprise, ..fixtures::organization() });
    tx.members.expect_reads().once().returning(|_| Ok(false));
    expect_insert(&mut world);
    assert!(create(&world.app(), &fixtures::caller(), &Scope::Organization, named("agent")).await.is_ok());
}

fn repeating(found: Option<(Inbox, bool)>) -> World {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.members.expect_reads().times(..=1).returning(|_| Ok(false));
    tx.inboxes.expect_find_by_client_id().once().return_once(move |_, client_id| {
        assert_eq!(client_id, "mine");
        Ok(found)
    });
    world
}

fn with_client_id() -> NewInbox {
    NewInbox { client_id: Some("mine".to_owned()), ..named("agent") }
}

#[tokio::test]
async fn repeated_client_id_returns_original_inbox_over_cap() {
    let world = repeating(Some((fixtures::inbox(), true)));
    let inbox = create(&world.app(), &fixtures::caller(), &Scope::Organization, with_client_id()).await.unwrap();
    assert_eq!(inbox, fixtures::inbox());
}

#[tokio::test]
async fn client_id_of_deleted_or_foreign_inbox_conflicts() {
    let elsewhere = Inbox { pod_id: id(99), ..fixtures::inbox() };
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, found) in [(fixtures::caller(), (fixtures::inbox(), false)), (pod, (elsewhere, true))] {
        let refused = create(&repeating(Some(found)).app(), &caller, &Scope::Organization, with_client_id()).await;
        assert!(matches!(refused, Err(Error::ClientIdSpent(client_id)) if client_id == "mine"));
    }
}

#[tokio::test]
async fn new_client_id_is_stored_with_inbox() {
    let mut world = repeating(None);
    let tx = world.last_unit_of_work();
    tx.inboxes.expect_count().returning(|_| Ok(0));
    tx.usage.expect_storage_bytes().returning(|_| Ok(0));
    let inserted = expect_insert(&mut world);
    create(&world.app(), &fixtures::caller(), &Scope::Organization, with_client_id()).await.unwrap();
    assert_eq!(inserted.only().client_id.as_deref(), Some("mine"));
}

#[tokio::test]
async fn address_in_use_is_refused() {
    let mut world = with_usage(fixtures::organization(), 0, 0);
    let tx = world.last_unit_of_work();
    tx.inboxes.expect_insert().once().returning(|_| Err(StoreError::Duplicate(Constraint::Address)));
    let journal = world.journal.clone();
    let refused = create(&world.app(), &fixtures::caller(), &Scope::Organization, named("agent")).await;
    assert!(matches!(refused, Err(Error::AddressTaken(address)) if address == "agent@inboxd.example"));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn member_address_cannot_become_inbox() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, Organization { plan: Plan::Enterprise, ..fixtures::organization() });
    tx.members.expect_reads().once().returning(|inbox_id| {
        assert_eq!(inbox_id.as_str(), "agent@inboxd.example");
        Ok(true)
    });
    let refused = create(&world.app(), &fixtures::caller(), &Scope::Organization, named("agent")).await;
    assert!(matches!(refused, Err(Error::AddressTaken(address)) if address == "agent@inboxd.example"));
}

#[tokio::test]
async fn invalid_inbox_fields_are_all_named() {
    let bad = NewInbox {
        display_name: Some("a\nb".to_owned()),
        client_id: Some("a b".to_owned()),
        metadata: Metadata::from([(String::new(), MetadataValue::Bool(true))]),
        ..named("a+b")
    };
    let refused = create(&World::default().app(), &fixtures::caller(), &Scope::Organization, bad).await.unwrap_err();
    assert_eq!(paths(refused), ["display_name", "client_id", "metadata", "username"]);
}

#[tokio::test]
async fn inbox_key_creates_no_inbox_in_spite_of_map() {
    let caller = Caller { permissions: permissions(&["inbox_create"]), ..fixtures::inbox_caller() };
    let refused = create(&World::default().app(), &caller, &Scope::Organization, named("agent")).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::InboxCreate))));
}

#[tokio::test]
async fn other_inbox_is_out_of_scope_even_if_missing() {
    let sibling = inbox_id("other@inboxd.example");
    let refused = get(&World::default().app(), &fixtures::inbox_caller(), &Scope::Organization, &sibling).await;
    assert!(matches!(refused, Err(Error::InboxOutOfScope { .. })));
    let refused = get(&world().app(), &fixtures::caller(), &Scope::Organization, &sibling).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Inbox, .. })));
    assert_eq!(
        get(&world().app(), &fixtures::caller(), &Scope::Organization, &fixtures::inbox().inbox_id).await.unwrap(),
        fixtures::inbox()
    );
}

fn metadata(pairs: &[(&str, &str)]) -> Metadata {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), MetadataValue::String((*value).to_owned()))).collect()
}

#[tokio::test]
async fn metadata_is_merged_cleared_or_retained() {
    let text = |value: &str| Some(MetadataValue::String(value.to_owned()));
    let merge = [("a".to_owned(), text("new")), ("b".to_owned(), None), ("c".to_owned(), text("3"))];
    let table = [
        (MetadataChange::Keep, metadata(&[("a", "1"), ("b", "2")])),
        (MetadataChange::Clear, Metadata::new()),
        (MetadataChange::Merge(merge.into_iter().collect()), metadata(&[("a", "new"), ("c", "3")])),
    ];
    for (change, expected) in table {
        let mut world = World::default();
        let tx = world.unit_of_work();
        let before = Inbox { metadata: metadata(&[("a", "1"), ("b", "2")]), ..fixtures::inbox() };
        tx.inboxes.expect_lock().once().return_once(move |_, _| Ok(Some(before)));
        tx.inboxes.expect_update().once().returning(|_| Ok(()));
        let change = InboxChange { display_name: Some(None), metadata: change, ..InboxChange::default() };
        let inbox =
            update(&world.app(), &fixtures::caller(), &Scope::Organization, &fixtures::inbox().inbox_id, change)
                .await
                .unwrap();
        assert_eq!((inbox.metadata, inbox.display_name), (expected, None));
    }
}

#[tokio::test]
async fn metadata_beyond_bounds_is_refused() {
    let mut world = World::default();
    world.unit_of_work().inboxes.expect_lock().once().returning(|_, _| {
        let full = (0..256).map(|number| (format!("k{number}"), MetadataValue::Bool(true))).collect();
        Ok(Some(Inbox { metadata: full, ..fixtures::inbox() }))
    });
    let one_more = MetadataChange::Merge([("more".to_owned(), Some(MetadataValue::Bool(true)))].into());
    let change = InboxChange { metadata: one_more, ..InboxChange::default() };
    let refused = update(&world.app(), &fixtures::caller(), &Scope::Organization, &fixtures::inbox().inbox_id, change)
        .await
        .unwrap_err();
    assert_eq!(paths(refused), ["metadata"]);
}

#[tokio::test]
async fn deleted_inbox_takes_keys_and_webhooks_along() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    tx.inboxes.expect_lock().once().returning(|_, _| Ok(Some(fixtures::inbox())));
    tx.inboxes.expect_delete().once().returning(|_, _, at| {
        assert_eq!(at, NOW);
        Ok(())
    });
    tx.members.expect_leave_inbox().once().returning(|_, _, _| Ok(()));
    tx.api_keys.expect_revoke_of_inbox().once().returning(|_, inbox_id, _| {
        assert_eq!(*inbox_id, fixtures::inbox().inbox_id);
        Ok(vec![id(20), id(21)])
    });
    tx.lists.expect_delete_all().once().returning(|_, level| {
        let Inbox { pod_id, inbox_id, .. } = fixtures::inbox();
        assert_eq!(*level, ListLevel::Inbox { pod_id, inbox_id });
        Ok(7)
    });
    tx.webhooks.expect_leave_inbox().once().returning(|organization_id, inbox_id, at| {
        assert_eq!((organization_id, inbox_id, at), (id(1), &fixtures::inbox().inbox_id, NOW));
        Ok(Vec::new())
    });
    let recorded = records_audit(tx);
    let journal = world.journal.clone();
    delete(&world.app(), &fixtures::caller(), &Scope::Organization, &fixtures::inbox().inbox_id).await.unwrap();
    assert_eq!(journal.commits(), 1);
    let entry = recorded.only();
    assert_eq!((entry.action.as_str(), entry.resource_id), ("inbox.deleted", fixtures::inbox().inbox_id.to_string()));
    let keys = [20, 21].map(|number| id::<ApiKeyId>(number).to_string());
    let gone = json!({"api_keys": 2, "api_key_ids": keys, "webhooks": 0, "webhook_ids": [], "list_entries": 7});
    assert_eq!(json!(entry.before), gone);
}
