//! Switches between organizations, and the identity of a person.

use super::*;

#[tokio::test]
async fn only_sign_in_key_can_switch_to_joined_organizations() {
    let here = id::<inboxd_core::model::OrganizationId>(1).to_string();
    let refused = switch(&World::default().app(), &fixtures::caller(), &here).await;
    assert!(matches!(refused, Err(Error::NotAPerson)));
    let invited = Membership { member: Member { joined_at: None, ..fixtures::member() }, ..membership() };
    for memberships in [Vec::new(), vec![invited]] {
        let mut world = World::default();
        world.store.expect_memberships().return_once(move |_| Ok(memberships));
        let refused = switch(&world.app(), &fixtures::calling(&fixtures::member()), &here).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Organization, .. })));
    }
    let mut world = World::default();
    world.store.expect_memberships().return_once(|_| Ok(vec![membership()]));
    let tx = world.unit_of_work();
    tx.members.expect_lock().return_once(|_, _| Ok(Some(fixtures::member())));
    tx.api_keys.expect_insert().once().returning(|key, _| {
        assert_eq!(key.member_id, Some(id(40)));
        Ok(())
    });
    let switched = switch(&world.app(), &fixtures::calling(&fixtures::member()), &here).await.unwrap();
    assert_eq!(switched.organization_id, id(1));
}

#[tokio::test]
async fn switch_key_inherits_limits_of_earlier_key() {
    let kept = Caller {
        permissions: permissions(&["message_read"]),
        expires_at: Some(NOW + Duration::days(1)),
        ..fixtures::calling(&fixtures::member())
    };
    for caller in [kept, fixtures::calling(&fixtures::member())] {
        let mut world = World::default();
        world.store.expect_memberships().return_once(|_| Ok(vec![membership()]));
        let tx = world.unit_of_work();
        tx.members.expect_lock().return_once(|_, _| Ok(Some(fixtures::member())));
        let expected = (caller.permissions.clone(), caller.expires_at);
        tx.api_keys.expect_insert().once().returning(move |key, _| {
            assert_eq!((&key.permissions, key.expires_at), (&expected.0, expected.1));
            Ok(())
        });
        switch(&world.app(), &caller, &id::<inboxd_core::model::OrganizationId>(1).to_string()).await.unwrap();
    }
}

#[tokio::test]
async fn contended_switch_is_retried() {
    let mut world = World::default();
    world.store.expect_memberships().returning(|_| Ok(vec![membership()]));
    world.unit_of_work().members.expect_lock().return_once(|_, _| Err(StoreError::Contention));
    let tx = world.unit_of_work();
    tx.members.expect_lock().return_once(|_, _| Ok(Some(fixtures::member())));
    tx.api_keys.expect_insert().once().returning(|_, _| Ok(()));
    let here = id::<inboxd_core::model::OrganizationId>(1).to_string();
    assert!(switch(&world.app(), &fixtures::calling(&fixtures::member()), &here).await.is_ok());
}

#[tokio::test]
async fn identity_lists_all_joined_organizations() {
    let of_key = identity(&World::default().app(), &fixtures::caller()).await.unwrap();
    assert_eq!(of_key, [(id(1), Role::Owner)], "an organization key has the role of the owner");
    let narrowed = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let of_pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for restricted in [narrowed, of_pod, fixtures::inbox_caller()] {
        let of_key = identity(&World::default().app(), &restricted).await.unwrap();
        assert_eq!(of_key, [(id(1), Role::Member)], "a restricted key has the lowest role");
    }
    let there = |number: u128, joined| {
        let member = Member { organization_id: id(number), joined_at: joined, ..fixtures::member() };
        Membership { member, ..membership() }
    };
    let mut world = World::default();
    world
        .store
        .expect_memberships()
        .return_once(move |_| Ok(vec![there(1, Some(NOW)), there(2, Some(NOW)), there(3, None)]));
    let of_person = identity(&world.app(), &fixtures::calling(&fixtures::member())).await.unwrap();
    assert_eq!(of_person, [(id(1), Role::Member), (id(2), Role::Member)]);
}
