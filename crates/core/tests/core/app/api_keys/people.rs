//! Keys that members create and change.

use super::*;

fn admin() -> Member {
    Member { role: Role::Admin, ..fixtures::member() }
}

/// A unit of work in which a former admin now has this state.
fn expect_held(tx: &mut MockTx, now: Option<Member>) {
    tx.members.expect_hold().once().returning(move |organization_id, member_id| {
        assert_eq!((organization_id, member_id), (id(1), fixtures::member().member_id));
        Ok(now.clone())
    });
}

#[tokio::test]
async fn removed_or_demoted_member_creates_and_changes_no_key() {
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
        let refused =
            create(&world.app(), &fixtures::calling(&admin()), &Scope::Organization, new).await.err().unwrap();
        assert!(is_refused(refused), "a new key");
        assert_eq!(journal.commits(), 0);

        let mut world = World::default();
        world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
        expect_held(unit(&mut world), now);
        let journal = world.journal.clone();
        let change = KeyChange { name: name(), permissions: None };
        let refused =
            update(&world.app(), &fixtures::calling(&admin()), &Scope::Organization, id(3), change).await.unwrap_err();
        assert!(is_refused(refused), "a changed key");
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn admin_creates_and_changes_keys() {
    let mut world = world();
    let tx = unit(&mut world);
    expect_held(tx, Some(admin()));
    tx.api_keys.expect_insert().once().returning(|_, _| Ok(()));
    let key =
        create(&world.app(), &fixtures::calling(&admin()), &Scope::Organization, new_key()).await.unwrap().api_key;
    assert_eq!((key.reach, key.member_id), (Reach::Organization, None));

    let mut world = World::default();
    world.store.expect_api_key().returning(|_, _| Ok(Some(fixtures::api_key())));
    let tx = unit(&mut world);
    expect_held(tx, Some(admin()));
    tx.api_keys.expect_lock().once().returning(|_, _| Ok(Some(fixtures::api_key())));
    tx.api_keys.expect_update().once().returning(|_| Ok(true));
    let change = KeyChange { name: None, permissions: permissions(&["message_read"]) };
    let key = update(&world.app(), &fixtures::calling(&admin()), &Scope::Organization, id(3), change).await.unwrap();
    assert_eq!(key.permissions, permissions(&["message_read"]));
}
