//! Changes of the name and permissions of a key.

use super::*;

/// Changes an unrestricted key of this scope and returns the stored key.
async fn changed(caller: &Caller, reach: Reach, change: KeyChange) -> Result<ApiKey, Error> {
    let mut world = World::default();
    let key = ApiKey { api_key_id: id(30), reach, ..fixtures::api_key() };
    let now = key.clone();
    world.store.expect_api_key().returning(move |_, _| Ok(Some(key.clone())));
    let tx = unit(&mut world);
    tx.api_keys.expect_lock().returning(move |_, _| Ok(Some(now.clone())));
    tx.api_keys.expect_update().returning(|_| Ok(true));
    let app = App { clock: std::sync::Arc::new(FixedClock::at(NOW + Duration::hours(1))), ..world.app() };
    let answer = update(&app, caller, &Scope::Organization, id(30), change).await;
    // A refusal may precede the unit of work, so the mock may stay unused.
    if answer.is_err() {
        let _ = app.store.begin().await;
    }
    answer
}

#[tokio::test]
async fn key_update_changes_only_name_and_permissions() {
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
async fn key_without_read_permission_loses_its_threads() {
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
        update(&world.app(), &fixtures::caller(), &Scope::Organization, id(30), change).await.unwrap();
    }
}

#[tokio::test]
async fn rename_retains_concurrent_permission_change() {
    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    let narrowed = ApiKey { permissions: permissions(&["message_read"]), ..fixtures::api_key() };
    let expected = ApiKey { name: "new".to_owned(), ..narrowed.clone() };
    let tx = unit(&mut world);
    tx.api_keys.expect_lock().once().return_once(|_, _| Ok(Some(narrowed)));
    tx.api_keys.expect_update().once().returning(|_| Ok(true));
    let change = KeyChange { name: Some("new".to_owned()), permissions: None };
    assert_eq!(update(&world.app(), &fixtures::caller(), &Scope::Organization, id(3), change).await.unwrap(), expected);
    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    unit(&mut world).api_keys.expect_lock().once().return_once(|_, _| Ok(None));
    let refused = update(&world.app(), &fixtures::caller(), &Scope::Organization, id(3), KeyChange::default()).await;
    assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
}

#[tokio::test]
async fn key_update_grants_only_permissions_of_caller() {
    let caller = Caller { permissions: permissions(&["api_key_create", "message_read"]), ..fixtures::caller() };
    let give = |asked| KeyChange { name: None, permissions: asked };
    let refused = changed(&caller, inbox_reach(), give(permissions(&["message_send"]))).await;
    assert!(matches!(refused, Err(Error::PermissionEscalation(Permission::MessageSend))));
    let kept = changed(&caller, inbox_reach(), give(None)).await.unwrap();
    assert_eq!(kept.permissions, None, "without a map, the key retains its own");
    let beyond = changed(&fixtures::caller(), Reach::Pod(id(2)), give(permissions(&["billing"]))).await.unwrap_err();
    assert_eq!(paths(beyond), ["permissions.billing"]);
    let reader = Caller { permissions: permissions(&["api_key_read"]), ..fixtures::caller() };
    let refused = changed(&reader, inbox_reach(), KeyChange::default()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::ApiKeyCreate))));
}

#[tokio::test]
async fn key_outside_caller_scope_is_not_found_for_update() {
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for (caller, reach) in
        [(pod.clone(), Reach::Organization), (pod, Reach::Pod(id(9))), (fixtures::inbox_caller(), Reach::Pod(id(2)))]
    {
        let refused = changed(&caller, reach, KeyChange::default()).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::ApiKey, .. })));
    }
}

/// Changes a key with a caller that has these permissions.
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
    let answer = update(&app, &caller, &Scope::Organization, target.api_key_id, change).await;
    // A refusal may precede the unit of work, so the mock may stay unused.
    if matches!(answer, Err(Error::MissingPermission(_))) {
        let _ = app.store.begin().await;
    }
    answer
}

fn holding(names: &[&str], expires_at: Option<time::OffsetDateTime>) -> ApiKey {
    ApiKey { api_key_id: id(30), permissions: permissions(names), expires_at, ..fixtures::api_key() }
}

#[tokio::test]
async fn key_update_by_narrower_key_is_refused() {
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
async fn key_update_by_expiring_key_broadens_no_longer_lived_key() {
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
async fn key_update_needs_update_or_create_permission() {
    let rename = || KeyChange { name: Some("new".to_owned()), permissions: None };
    for (names, is_allowed) in [(["api_key_update"], true), (["api_key_create"], true), (["api_key_delete"], false)] {
        let changed = changed_by(&holding(&names, None), &holding(&[], None), rename()).await;
        assert_eq!(changed.is_ok(), is_allowed, "{names:?}");
    }
}
