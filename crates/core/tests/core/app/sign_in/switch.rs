//! Switching between organizations, and the identity of a person.

use super::*;

#[tokio::test]
async fn only_somebody_who_signed_in_can_switch_and_only_to_where_they_joined() {
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
async fn the_key_of_a_switch_is_kept_to_what_the_key_before_it_was_kept_to() {
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
async fn a_switch_that_something_came_between_is_done_again() {
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
async fn the_identity_lists_every_organization_that_the_address_has_joined() {
    let of_key = identity(&World::default().app(), &fixtures::caller()).await.unwrap();
    assert_eq!(of_key, [(id(1), Role::Owner)], "a key of the organization has its owner's role");
    let narrowed = Caller { permissions: permissions(&["message_read"]), ..fixtures::caller() };
    let of_pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for restricted in [narrowed, of_pod, fixtures::inbox_caller()] {
        let of_key = identity(&World::default().app(), &restricted).await.unwrap();
        assert_eq!(of_key, [(id(1), Role::Member)], "one that is restricted has the least");
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
