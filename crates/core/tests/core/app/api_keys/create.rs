//! New keys: scope, permissions and expiry.

use super::*;

/// Creates a key, requires that it is stored, and returns it.
async fn made(caller: &Caller, scope: &Scope, new: NewKey) -> ApiKey {
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
    let MadeKey { api_key, plaintext } = create(&world.app(), caller, scope, new).await.unwrap();
    assert_eq!(stored.only(), (api_key.clone(), plaintext.unwrap().hash()));
    assert_eq!(journal.commits(), 1);
    api_key
}

async fn refused(caller: &Caller, scope: &Scope, new: NewKey) -> Error {
    create(&world().app(), caller, scope, new).await.err().unwrap()
}

#[tokio::test]
async fn new_key_has_scope_of_its_creator_unless_limited_to_inbox() {
    assert_eq!(made(&fixtures::caller(), &Scope::Organization, new_key()).await.reach, Reach::Organization);
    assert_eq!(made(&fixtures::caller(), &pinned(), new_key()).await.reach, inbox_reach());
    assert_eq!(made(&fixtures::inbox_caller(), &Scope::Organization, new_key()).await.reach, inbox_reach());
    assert_eq!(made(&fixtures::inbox_caller(), &pinned(), new_key()).await.reach, inbox_reach());
}

#[tokio::test]
async fn new_key_never_outlives_its_creator() {
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
        assert_eq!(
            made(&caller, &Scope::Organization, NewKey { expires_at: asked, ..new_key() }).await.expires_at,
            given
        );
    }
}

#[tokio::test]
async fn restricted_key_grants_at_most_its_own_map() {
    let caller = Caller { permissions: permissions(&["api_key_create", "message_read"]), ..fixtures::caller() };
    assert_eq!(made(&caller, &Scope::Organization, new_key()).await.permissions, caller.permissions);
    let less = permissions(&["message_read"]);
    assert_eq!(
        made(&caller, &Scope::Organization, NewKey { permissions: less.clone(), ..new_key() }).await.permissions,
        less
    );
    let more = NewKey { permissions: permissions(&["message_send"]), ..new_key() };
    assert!(matches!(
        refused(&caller, &Scope::Organization, more).await,
        Error::PermissionEscalation(Permission::MessageSend)
    ));
}

#[tokio::test]
async fn key_without_permission_creates_no_key() {
    let caller = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    assert!(matches!(
        refused(&caller, &Scope::Organization, new_key()).await,
        Error::MissingPermission(Permission::ApiKeyCreate)
    ));
}

#[tokio::test]
async fn inbox_key_is_refused_sibling_scope_before_permission() {
    let caller = Caller { permissions: permissions(&[]), ..fixtures::inbox_caller() };
    let sibling = Scope::Inbox(inbox_id("other@inboxd.example"));
    assert!(matches!(refused(&caller, &sibling, new_key()).await, Error::InboxOutOfScope { .. }));
}

#[tokio::test]
async fn new_key_for_missing_inbox_is_refused() {
    let nowhere = Scope::Inbox(inbox_id("other@inboxd.example"));
    let error = refused(&fixtures::caller(), &nowhere, new_key()).await;
    assert!(matches!(error, Error::NotFound { resource: Resource::Inbox, .. }));
}

#[tokio::test]
async fn inbox_key_is_refused_organization_level_permissions() {
    let asked = permissions(&["inbox_create", "message_read"]);
    let new = NewKey { permissions: asked, ..new_key() };
    assert_eq!(paths(refused(&fixtures::caller(), &pinned(), new).await), ["permissions.inbox_create"]);
}

#[tokio::test]
async fn invalid_name_and_past_expiry_are_named_together() {
    let new = NewKey { name: Some(" ".to_owned()), expires_at: Some(NOW), ..new_key() };
    assert_eq!(paths(refused(&fixtures::caller(), &Scope::Organization, new).await), ["name", "expires_at"]);
}

#[tokio::test]
async fn new_key_for_concurrently_deleted_inbox_is_refused() {
    let mut world = world();
    unit(&mut world).inboxes.expect_hold().once().returning(|_| Ok(Vec::new()));
    let journal = world.journal.clone();
    let refused = create(&world.app(), &fixtures::caller(), &pinned(), new_key()).await.err().unwrap();
    assert!(matches!(refused, Error::NotFound { .. }));
    assert_eq!(journal.commits(), 0);
}

#[tokio::test]
async fn repeated_client_id_returns_key_without_plaintext() {
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
        match create(&world.app(), &caller, &Scope::Organization, new).await {
            Ok(MadeKey { api_key, plaintext }) => {
                assert!(found && plaintext.is_none() && api_key.api_key_id == fixtures::api_key().api_key_id);
            }
            Err(refused) => assert!(!found && matches!(refused, Error::ClientIdSpent(_)), "{refused:?}"),
        }
    }
}

#[tokio::test]
async fn revoked_key_creates_no_key() {
    let mut world = world();
    unit(&mut world).api_keys.expect_hold().once().returning(|_, _| Ok(None));
    let refused = create(&world.app(), &fixtures::caller(), &Scope::Organization, new_key()).await.err();
    assert!(matches!(refused, Some(Error::UnknownApiKey)));
}

#[tokio::test]
async fn key_of_key_with_policy_gets_the_same_policy() {
    let mut world = world();
    let tx = unit(&mut world);
    let of_creator = Policy {
        organization_id: fixtures::organization().organization_id,
        level: PolicyLevel::ApiKey(fixtures::api_key().api_key_id),
        rules: PolicyRules::of_new_organization(),
        updated_by: None,
        updated_at: NOW,
    };
    let stored = Captured::<Policy>::default();
    let (seen, found) = (stored.clone(), of_creator.clone());
    tx.policies.expect_binding().once().returning(move |_, levels| {
        assert_eq!(levels, std::slice::from_ref(&found.level));
        Ok(BindingPolicies { policies: vec![found.clone()], revoked: Vec::new() })
    });
    tx.policies.expect_put().once().returning(move |policy| {
        seen.push(policy.clone());
        Ok(())
    });
    tx.api_keys.expect_insert().once().returning(|_, _| Ok(()));
    let MadeKey { api_key, .. } =
        create(&world.app(), &fixtures::caller(), &Scope::Organization, new_key()).await.unwrap();
    assert_eq!(stored.only(), Policy { level: PolicyLevel::ApiKey(api_key.api_key_id), ..of_creator });
}
