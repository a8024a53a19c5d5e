use std::collections::BTreeSet;

use inboxd_core::app::App;
use inboxd_core::app::api_keys::{KeyChange, MadeKey, NewKey, create, list, revoke, update};
use inboxd_core::model::{ApiKey, ApiKeyId, Caller, Inbox, Member, Page, PageRequest, Permission, Reach, Role};
use inboxd_core::ports::ApiKeyQuery;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, FixedClock, MockTx, World};
use inboxd_core::{Error, Resource};
use time::Duration;

use super::{paths, permissions, world};

fn new_key() -> NewKey {
    NewKey { name: None, permissions: None, expires_at: None, inbox_id: None, client_id: None }
}

/// A unit of work that may lock the organization.
fn unit(world: &mut World) -> &mut MockTx {
    let tx = world.unit_of_work();
    tx.accounts.expect_lock().times(..=1).returning(|_| Ok(Some(fixtures::organization())));
    tx
}

fn inbox_reach() -> Reach {
    Reach::Inbox { pod_id: id(2), inbox_id: fixtures::inbox().inbox_id }
}

/// Makes a key that must be stored, and answers it.
async fn made(caller: &Caller, new: NewKey) -> ApiKey {
    let mut world = world();
    let stored = Captured::<(ApiKey, [u8; 32])>::default();
    let seen = stored.clone();
    let tx = unit(&mut world);
    tx.inboxes.expect_hold().times(..=1).returning(|wanted| Ok(wanted.to_vec()));
    tx.api_keys.expect_insert().once().returning(move |key, hash| {
        seen.push((key.clone(), *hash));
        Ok(())
    });
    let journal = world.journal.clone();
    let MadeKey { api_key, plaintext } = create(&world.app(), caller, new).await.unwrap();
    assert_eq!(stored.only(), (api_key.clone(), plaintext.unwrap().hash()));
    assert_eq!(journal.commits(), 1);
    api_key
}

async fn refused(caller: &Caller, new: NewKey) -> Error {
    create(&world().app(), caller, new).await.err().unwrap()
}

#[tokio::test]
async fn a_key_reaches_as_far_as_its_maker_unless_it_is_pinned_to_an_inbox() {
    let pinned = || NewKey { inbox_id: Some(fixtures::inbox().inbox_id), ..new_key() };
    assert_eq!(made(&fixtures::caller(), new_key()).await.reach, Reach::Organization);
    assert_eq!(made(&fixtures::caller(), pinned()).await.reach, inbox_reach());
    assert_eq!(made(&fixtures::inbox_caller(), new_key()).await.reach, inbox_reach());
    assert_eq!(made(&fixtures::inbox_caller(), pinned()).await.reach, inbox_reach());
}

#[tokio::test]
async fn a_key_never_outlives_its_maker() {
    let (soon, late) = (NOW + Duration::hours(1), NOW + Duration::days(1));
    let table = [
        (None, None, None),
        (None, Some(late), Some(late)),
        (Some(soon), None, Some(soon)),
        (Some(soon), Some(late), Some(soon)),
        (Some(late), Some(soon), Some(soon)),
    ];
    for (own, asked, given) in table {
        let caller = Caller { expires_at: own, ..fixtures::caller() };
        assert_eq!(made(&caller, NewKey { expires_at: asked, ..new_key() }).await.expires_at, given);
    }
}

#[tokio::test]
async fn a_restricted_key_hands_on_its_own_map_or_less() {
    let caller = Caller { permissions: permissions(&["api_key_create", "message_read"]), ..fixtures::caller() };
    assert_eq!(made(&caller, new_key()).await.permissions, caller.permissions);
    let less = permissions(&["message_read"]);
    assert_eq!(made(&caller, NewKey { permissions: less.clone(), ..new_key() }).await.permissions, less);
    let more = NewKey { permissions: permissions(&["message_send"]), ..new_key() };
    assert!(matches!(refused(&caller, more).await, Error::PermissionEscalation(Permission::MessageSend)));
}

#[tokio::test]
async fn a_key_without_the_permission_makes_none() {
    let caller = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    assert!(matches!(refused(&caller, new_key()).await, Error::MissingPermission(Permission::ApiKeyCreate)));
}

#[tokio::test]
async fn an_inbox_key_pins_no_key_to_a_sibling_even_without_the_permission() {
    let caller = Caller { permissions: permissions(&[]), ..fixtures::inbox_caller() };
    let sibling = NewKey { inbox_id: Some(inbox_id("other@inboxd.example")), ..new_key() };
    assert!(matches!(refused(&caller, sibling).await, Error::InboxOutOfScope { .. }));
}

#[tokio::test]
async fn a_key_is_not_pinned_to_an_inbox_that_is_not_there() {
    let nowhere = NewKey { inbox_id: Some(inbox_id("other@inboxd.example")), ..new_key() };
    let error = refused(&fixtures::caller(), nowhere).await;
    assert!(matches!(error, Error::NotFound { resource: Resource::Inbox, .. }));
}

#[tokio::test]
async fn an_inbox_key_is_refused_organization_level_permissions() {
    let asked = permissions(&["inbox_create", "message_read"]);
    let new = NewKey { permissions: asked, inbox_id: Some(fixtures::inbox().inbox_id), ..new_key() };
    assert_eq!(paths(refused(&fixtures::caller(), new).await), ["permissions.inbox_create"]);
}

#[tokio::test]
async fn a_name_without_letters_and_a_time_in_the_past_are_named_together() {
    let new = NewKey { name: Some(" ".to_owned()), expires_at: Some(NOW), ..new_key() };
    assert_eq!(paths(refused(&fixtures::caller(), new).await), ["name", "expires_at"]);
}

/// Every thread of the key that is changed is taken from it.
fn expect_unassigned(tx: &mut MockTx) {
    let whose = id::<ApiKeyId>(30).to_string();
    tx.threads.expect_unassign().once().returning(move |organization_id, assignee, keep, _| {
        assert_eq!((organization_id, assignee, keep.is_empty()), (id(1), whose.as_str(), true));
        Ok(())
    });
}

/// Revokes a key of this reach.
async fn revoked(caller: &Caller, reach: Reach, of_inbox: Option<&str>, expected: bool) -> Result<(), Error> {
    let mut world = World::default();
    let key = ApiKey { api_key_id: id(30), reach, ..fixtures::api_key() };
    world.store.expect_api_key().returning(move |_, _| Ok(Some(key.clone())));
    world
        .store
        .expect_inbox()
        .returning(|_, inbox_id| Ok(Some(Inbox { inbox_id: inbox_id.clone(), ..fixtures::inbox() })));
    if expected {
        let tx = unit(&mut world);
        tx.api_keys.expect_revoke().once().returning(|organization_id, api_key_id, at| {
            assert_eq!((organization_id, api_key_id, at), (id(1), id(30), NOW));
            Ok(true)
        });
        expect_unassigned(tx);
    }
    let journal = world.journal.clone();
    let of_inbox = of_inbox.map(inbox_id);
    let answer = revoke(&world.app(), caller, of_inbox.as_ref(), id(30)).await;
    assert_eq!(journal.commits(), usize::from(expected));
    answer
}

#[tokio::test]
async fn a_key_revokes_what_lies_within_its_reach() {
    let sibling = || Reach::Inbox { pod_id: id(2), inbox_id: inbox_id("other@inboxd.example") };
    let elsewhere = || Reach::Inbox { pod_id: id(99), inbox_id: inbox_id("far@inboxd.example") };
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let table = [
        (fixtures::caller(), Reach::Organization, true),
        (fixtures::caller(), Reach::Pod(id(99)), true),
        (fixtures::caller(), sibling(), true),
        (pod.clone(), Reach::Organization, false),
        (pod.clone(), Reach::Pod(id(2)), true),
        (pod.clone(), Reach::Pod(id(99)), false),
        (pod.clone(), sibling(), true),
        (pod, elsewhere(), false),
        (fixtures::inbox_caller(), inbox_reach(), true),
        (fixtures::inbox_caller(), sibling(), false),
        (fixtures::inbox_caller(), Reach::Organization, false),
    ];
    for (caller, reach, allowed) in table {
        let answer = revoked(&caller, reach.clone(), None, allowed).await;
        assert_eq!(answer.is_ok(), allowed, "{:?} revokes {reach:?}", caller.reach);
        assert!(allowed || matches!(answer, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
    }
}

#[tokio::test]
async fn under_an_inbox_only_its_own_keys_are_found() {
    let own = Some("scout@inboxd.example");
    assert!(revoked(&fixtures::caller(), inbox_reach(), own, true).await.is_ok());
    for (reach, of_inbox) in [(Reach::Organization, own), (inbox_reach(), Some("other@inboxd.example"))] {
        let refused = revoked(&fixtures::caller(), reach, of_inbox, false).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
    }
    let sibling = Some("other@inboxd.example");
    let refused = revoked(&fixtures::inbox_caller(), inbox_reach(), sibling, false).await;
    assert!(matches!(refused, Err(Error::InboxOutOfScope { .. })));
}

#[tokio::test]
async fn a_key_that_somebody_else_revoked_meanwhile_is_not_there() {
    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    unit(&mut world).api_keys.expect_revoke().once().returning(|_, _, _| Ok(false));
    let journal = world.journal.clone();
    let refused = revoke(&world.app(), &fixtures::caller(), None, id(3)).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn a_list_goes_as_far_as_the_key() {
    let own = Some(fixtures::inbox().inbox_id);
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let theirs = BTreeSet::from([fixtures::inbox().inbox_id, inbox_id("other@inboxd.example")]);
    let limited = fixtures::calling(&Member { inbox_ids: theirs.clone(), ..fixtures::member() });
    let table = [
        (fixtures::caller(), None, None, None, None),
        (fixtures::caller(), own.clone(), None, own.clone(), None),
        (pod, None, Some(id(2)), None, None),
        (fixtures::inbox_caller(), None, None, own.clone(), None),
        (limited.clone(), None, None, None, Some(theirs)),
        (limited, own.clone(), None, own.clone(), None),
    ];
    for (caller, asked, pod_id, inbox_id, among) in table {
        let mut world = world();
        let expected = ApiKeyQuery { organization_id: id(1), pod_id, inbox_id, among, page: PageRequest::default() };
        world.store.expect_list_api_keys().once().returning(move |query| {
            assert_eq!(*query, expected);
            Ok(Page { items: vec![fixtures::api_key()], next: None })
        });
        let page = list(&world.app(), &caller, asked.as_ref(), PageRequest::default()).await.unwrap();
        assert_eq!(page.items, [fixtures::api_key()]);
    }
}

#[tokio::test]
async fn a_key_is_not_pinned_to_an_inbox_that_is_deleted_at_the_same_moment() {
    let mut world = world();
    unit(&mut world).inboxes.expect_hold().once().returning(|_| Ok(Vec::new()));
    let journal = world.journal.clone();
    let pinned = NewKey { inbox_id: Some(fixtures::inbox().inbox_id), ..new_key() };
    let refused = create(&world.app(), &fixtures::caller(), pinned).await.err().unwrap();
    assert!(matches!(refused, Error::NotFound { .. }));
    assert_eq!(journal.commits(), 0);
}

/// Changes an unrestricted key of this reach, and answers what was stored.
async fn changed(caller: &Caller, reach: Reach, change: KeyChange) -> Result<ApiKey, Error> {
    let mut world = World::default();
    let key = ApiKey { api_key_id: id(30), reach, ..fixtures::api_key() };
    let now = key.clone();
    world.store.expect_api_key().returning(move |_, _| Ok(Some(key.clone())));
    let tx = unit(&mut world);
    tx.api_keys.expect_lock().returning(move |_, _| Ok(Some(now.clone())));
    tx.api_keys.expect_update().returning(|_| Ok(true));
    let app = App { clock: std::sync::Arc::new(FixedClock::at(NOW + Duration::hours(1))), ..world.app() };
    let answer = update(&app, caller, None, id(30), change).await;
    // A refusal may come before the unit of work, which the store would miss.
    if answer.is_err() {
        let _ = app.store.begin().await;
    }
    answer
}

#[tokio::test]
async fn patching_a_key_changes_its_name_and_permissions_alone() {
    let change = KeyChange { name: Some("new".to_owned()), permissions: permissions(&["message_read"]) };
    let key = changed(&fixtures::caller(), inbox_reach(), change).await.unwrap();
    let expected = ApiKey {
        api_key_id: id(30),
        reach: inbox_reach(),
        name: "new".to_owned(),
        permissions: permissions(&["message_read"]),
        updated_at: NOW + Duration::hours(1),
        ..fixtures::api_key()
    };
    assert_eq!(key, expected);
    let untouched = changed(&fixtures::caller(), inbox_reach(), KeyChange::default()).await.unwrap();
    assert_eq!((untouched.name, untouched.permissions), (fixtures::api_key().name, None));
}

#[tokio::test]
async fn a_key_that_may_read_mail_no_longer_loses_its_threads() {
    for (names, is_blind) in [(["message_send"], true), (["message_read"], false)] {
        let mut world = World::default();
        world.store.expect_api_key().returning(|_, id| Ok(Some(ApiKey { api_key_id: id, ..fixtures::api_key() })));
        let tx = unit(&mut world);
        tx.api_keys.expect_lock().returning(|_, id| Ok(Some(ApiKey { api_key_id: id, ..fixtures::api_key() })));
        tx.api_keys.expect_update().once().returning(|_| Ok(true));
        if is_blind {
            expect_unassigned(tx);
        }
        let change = KeyChange { name: None, permissions: permissions(&names) };
        update(&world.app(), &fixtures::caller(), None, id(30), change).await.unwrap();
    }
}

#[tokio::test]
async fn a_change_of_the_name_keeps_the_permissions_that_were_taken_meanwhile() {
    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    let narrowed = ApiKey { permissions: permissions(&["message_read"]), ..fixtures::api_key() };
    let expected = ApiKey { name: "new".to_owned(), ..narrowed.clone() };
    let tx = unit(&mut world);
    tx.api_keys.expect_lock().once().return_once(|_, _| Ok(Some(narrowed)));
    tx.api_keys.expect_update().once().returning(|_| Ok(true));
    let change = KeyChange { name: Some("new".to_owned()), permissions: None };
    assert_eq!(update(&world.app(), &fixtures::caller(), None, id(3), change).await.unwrap(), expected);
    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    unit(&mut world).api_keys.expect_lock().once().return_once(|_, _| Ok(None));
    let refused = update(&world.app(), &fixtures::caller(), None, id(3), KeyChange::default()).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
}

#[tokio::test]
async fn patching_a_key_hands_on_only_what_the_caller_holds() {
    let caller = Caller { permissions: permissions(&["api_key_create", "message_read"]), ..fixtures::caller() };
    let give = |asked| KeyChange { name: None, permissions: asked };
    let refused = changed(&caller, inbox_reach(), give(permissions(&["message_send"]))).await;
    assert!(matches!(refused, Err(Error::PermissionEscalation(Permission::MessageSend))));
    let kept = changed(&caller, inbox_reach(), give(None)).await.unwrap();
    assert_eq!(kept.permissions, None, "without a map it keeps its own");
    let beyond = changed(&fixtures::caller(), Reach::Pod(id(2)), give(permissions(&["billing"]))).await.unwrap_err();
    assert_eq!(paths(beyond), ["permissions.billing"]);
    let reader = Caller { permissions: permissions(&["api_key_read"]), ..fixtures::caller() };
    let refused = changed(&reader, inbox_reach(), KeyChange::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::ApiKeyCreate))));
}

#[tokio::test]
async fn a_key_beyond_the_callers_reach_is_not_there_to_be_patched() {
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, reach) in
        [(pod.clone(), Reach::Organization), (pod, Reach::Pod(id(9))), (fixtures::inbox_caller(), Reach::Pod(id(2)))]
    {
        let refused = changed(&caller, reach, KeyChange::default()).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
    }
}

#[tokio::test]
async fn the_same_client_id_answers_the_key_that_it_made_without_its_plaintext() {
    let wide = ApiKey { reach: Reach::Organization, ..fixtures::api_key() };
    let table = [
        (fixtures::caller(), Some(wide.clone()), true),
        (fixtures::caller(), None, false),
        (fixtures::inbox_caller(), Some(wide), false),
    ];
    for (caller, original, found) in table {
        let mut world = world();
        world.store.expect_api_key().returning(move |_, _| Ok(original.clone()));
        let tx = unit(&mut world);
        tx.inboxes.expect_hold().returning(|wanted| Ok(wanted.to_vec()));
        let made = fixtures::api_key().api_key_id.to_string();
        tx.client_ids.expect_spend().once().returning(move |_, _, _, _| Ok(Some(made.clone())));
        let new = NewKey { client_id: Some("one".to_owned()), ..new_key() };
        match create(&world.app(), &caller, new).await {
            Ok(MadeKey { api_key, plaintext }) => {
                assert!(found && plaintext.is_none() && api_key.api_key_id == fixtures::api_key().api_key_id);
            }
            Err(refused) => assert!(!found && matches!(refused, Error::ClientIdSpent(_)), "{refused:?}"),
        }
    }
}

fn admin() -> Member {
    Member { role: Role::Admin, ..fixtures::member() }
}

/// A unit of work in which whoever was an admin a moment ago is this.
fn expect_held(tx: &mut MockTx, now: Option<Member>) {
    tx.members.expect_hold().once().returning(move |organization_id, member_id| {
        assert_eq!((organization_id, member_id), (id(1), fixtures::member().member_id));
        Ok(now.clone())
    });
}

#[tokio::test]
async fn somebody_who_was_removed_or_demoted_meanwhile_makes_and_changes_no_key() {
    let name = || Some("outlives them".to_owned());
    for now in [None, Some(fixtures::member())] {
        let is_gone = now.is_none();
        let is_refused = |refused: Error| match refused {
            Error::UnknownApiKey => is_gone,
            Error::RoleNotAllowed { permission, .. } => !is_gone && permission == Permission::ApiKeyCreate,
            _ => false,
        };
        let mut world = world();
        expect_held(unit(&mut world), now.clone());
        let journal = world.journal.clone();
        let new = NewKey { name: name(), client_id: Some("one".to_owned()), ..new_key() };
        let refused = create(&world.app(), &fixtures::calling(&admin()), new).await.err().unwrap();
        assert!(is_refused(refused), "a new key");
        assert_eq!(journal.commits(), 0);

        let mut world = World::default();
        world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
        expect_held(unit(&mut world), now);
        let journal = world.journal.clone();
        let change = KeyChange { name: name(), permissions: None };
        let refused = update(&world.app(), &fixtures::calling(&admin()), None, id(3), change).await.unwrap_err();
        assert!(is_refused(refused), "a changed key");
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn an_admin_makes_and_changes_keys() {
    let mut world = world();
    let tx = unit(&mut world);
    expect_held(tx, Some(admin()));
    tx.api_keys.expect_insert().once().returning(|_, _| Ok(()));
    let key = create(&world.app(), &fixtures::calling(&admin()), new_key()).await.unwrap().api_key;
    assert_eq!((key.reach, key.member_id), (Reach::Organization, None));

    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    let tx = unit(&mut world);
    expect_held(tx, Some(admin()));
    tx.api_keys.expect_lock().once().returning(|_, _| Ok(Some(fixtures::api_key())));
    tx.api_keys.expect_update().once().returning(|_| Ok(true));
    let change = KeyChange { name: None, permissions: permissions(&["message_read"]) };
    let key = update(&world.app(), &fixtures::calling(&admin()), None, id(3), change).await.unwrap();
    assert_eq!(key.permissions, permissions(&["message_read"]));
}

/// Changes a key, as a caller whose own key holds this.
async fn changed_by(own: &ApiKey, target: &ApiKey, change: KeyChange) -> Result<ApiKey, Error> {
    let mut world = World::default();
    let (seen, now, held) = (target.clone(), target.clone(), own.clone());
    world.store.expect_api_key().returning(move |_, _| Ok(Some(seen.clone())));
    let tx = unit(&mut world);
    tx.api_keys.expect_hold().returning(move |_, _| Ok(Some(held.clone())));
    tx.api_keys.expect_lock().returning(move |_, _| Ok(Some(now.clone())));
    tx.api_keys.expect_update().returning(|_| Ok(true));
    tx.threads.expect_unassign().returning(|_, _, _, _| Ok(()));
    let caller = Caller { permissions: own.permissions.clone(), expires_at: own.expires_at, ..fixtures::caller() };
    let app = world.app();
    let answer = update(&app, &caller, None, target.api_key_id, change).await;
    // A refusal may come before the unit of work, which the store would miss.
    if matches!(answer, Err(Error::MissingPermission(_))) {
        let _ = app.store.begin().await;
    }
    answer
}

fn holding(names: &[&str], expires_at: Option<time::OffsetDateTime>) -> ApiKey {
    ApiKey { api_key_id: id(30), permissions: permissions(names), expires_at, ..fixtures::api_key() }
}

#[tokio::test]
async fn key_change_by_narrower_key_is_refused() {
    let own = holding(&["api_key_create", "message_read"], None);
    let strip = || KeyChange { name: None, permissions: permissions(&[]) };
    let rename = || KeyChange { name: Some("mine".to_owned()), permissions: None };
    for target in [fixtures::api_key(), holding(&["message_read", "message_send"], None)] {
        for change in [strip(), rename()] {
            let refused = changed_by(&own, &target, change).await;
            assert!(matches!(refused, Err(Error::KeyBeyondCaller(_))), "{refused:?}");
        }
    }
    assert!(changed_by(&own, &holding(&["message_read"], None), strip()).await.is_ok());
}

#[tokio::test]
async fn key_change_by_expiring_key_widens_nothing_that_outlives_it() {
    let (soon, late) = (Some(NOW + Duration::hours(1)), Some(NOW + Duration::hours(2)));
    let own = ApiKey { expires_at: soon, ..fixtures::api_key() };
    let widen = || KeyChange { name: None, permissions: permissions(&["message_read", "message_send"]) };
    let narrow = || KeyChange { name: None, permissions: permissions(&[]) };
    for end in [None, late] {
        let refused = changed_by(&own, &holding(&["message_read"], end), widen()).await;
        assert!(matches!(refused, Err(Error::KeyOutlivesCaller { at }) if Some(at) == soon), "{refused:?}");
        assert!(changed_by(&own, &holding(&["message_read"], end), narrow()).await.is_ok());
    }
    assert!(changed_by(&own, &holding(&["message_read"], soon), widen()).await.is_ok());
}

#[tokio::test]
async fn key_change_needs_update_or_create() {
    let rename = || KeyChange { name: Some("new".to_owned()), permissions: None };
    for (names, is_allowed) in [(["api_key_update"], true), (["api_key_create"], true), (["api_key_delete"], false)] {
        let changed = changed_by(&holding(&names, None), &holding(&[], None), rename()).await;
        assert_eq!(changed.is_ok(), is_allowed, "{names:?}");
    }
}

#[tokio::test]
async fn revoked_key_makes_no_key() {
    let mut world = world();
    unit(&mut world).api_keys.expect_hold().once().returning(|_, _| Ok(None));
    let refused = create(&world.app(), &fixtures::caller(), new_key()).await.err();
    assert!(matches!(refused, Some(Error::UnknownApiKey)));
}
