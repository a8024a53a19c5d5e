//! Revocation and listing within the scope of a key.

use super::*;

/// Revokes a key of this scope.
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
    let scope = of_inbox.map_or(Scope::Organization, |name| Scope::Inbox(inbox_id(name)));
    let answer = revoke(&world.app(), caller, &scope, id(30)).await;
    assert_eq!(journal.commits(), usize::from(expected));
    answer
}

#[tokio::test]
async fn key_revokes_keys_within_its_scope() {
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
async fn inbox_path_finds_only_keys_of_inbox() {
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
async fn concurrently_revoked_key_is_not_found() {
    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    unit(&mut world).api_keys.expect_revoke().once().returning(|_, _, _| Ok(false));
    let journal = world.journal.clone();
    let refused = revoke(&world.app(), &fixtures::caller(), &Scope::Organization, id(3)).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn key_list_is_limited_to_caller_scope() {
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
        let page =
            list(&world.app(), &caller, &asked.map_or(Scope::Organization, Scope::Inbox), PageRequest::default())
                .await
                .unwrap();
        assert_eq!(page.items, [fixtures::api_key()]);
    }
}
