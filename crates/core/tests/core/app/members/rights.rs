//! Rights to invite, change and remove members.

use super::*;

/// A key with the permissions of a role and these additional ones.
fn holding(role: Role, more: &[&str]) -> Caller {
    let allowed = Permission::ALL.iter().filter(|permission| roles::allows(role, **permission));
    let names: Vec<&str> = allowed.map(|permission| permission.as_str()).chain(more.iter().copied()).collect();
    Caller { permissions: crate::app::permissions(&names), ..fixtures::caller() }
}

#[tokio::test]
async fn only_owners_admins_and_organization_keys_invite() {
    let member = fixtures::calling(&fixtures::member());
    let refused = invite(&World::default().app(), &member, maria()).await;
    assert!(matches!(refused, Err(Error::RoleNotAllowed { permission: Permission::MemberCreate, .. })));
    let blind = Caller { permissions: crate::app::permissions(&["member_read"]), ..fixtures::caller() };
    let refused = invite(&World::default().app(), &blind, maria()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MemberCreate))));
    let (world, ..) = inviting(1);
    invite(&world.app(), &holding(Role::Member, &["member_create"]), maria()).await.unwrap();
}

#[tokio::test]
async fn inviter_cannot_grant_more_than_own_rights() {
    let inviting_alone = Caller { permissions: crate::app::permissions(&["member_create"]), ..fixtures::caller() };
    let whole_member = holding(Role::Member, &["member_create"]);
    let all = holding(Role::Admin, &[]);
    for (caller, role, lacking) in [
        (&inviting_alone, "member", Some(Permission::InboxRead)),
        (&inviting_alone, "admin", Some(Permission::InboxRead)),
        (&whole_member, "member", None),
        (&whole_member, "admin", Some(Permission::InboxCreate)),
        (&all, "admin", None),
    ] {
        let world = if lacking.is_some() { World::default() } else { inviting(1).0 };
        let answer = invite(&world.app(), caller, NewMember { role: role.to_owned(), ..maria() }).await;
        assert_eq!(escalation(answer), lacking, "{role}");
    }
    // The final rights count, on every path.
    let of_role = |role: &str| MemberChange { role: Some(role.to_owned()), ..MemberChange::default() };
    let everywhere = || MemberChange { inbox_ids: Some(Vec::new()), ..MemberChange::default() };
    let named = || MemberChange { name: Some("Mia".to_owned()), ..MemberChange::default() };
    let whole_member = holding(Role::Member, &["member_update"]);
    let updating_alone = Caller { permissions: crate::app::permissions(&["member_update"]), ..fixtures::caller() };
    for (caller, before, change, lacking) in [
        (&updating_alone, Role::Member, everywhere(), Some(Permission::InboxRead)),
        (&updating_alone, Role::Admin, of_role("member"), Some(Permission::InboxRead)),
        (&updating_alone, Role::Admin, named(), None),
        (&whole_member, Role::Member, everywhere(), None),
        (&whole_member, Role::Admin, of_role("member"), None),
        (&whole_member, Role::Admin, everywhere(), Some(Permission::InboxCreate)),
        (&whole_member, Role::Member, of_role("admin"), Some(Permission::InboxCreate)),
        (&all, Role::Member, of_role("admin"), None),
    ] {
        let mut world = with(Member { role: before, ..fixtures::member() });
        let own = ApiKey { permissions: caller.permissions.clone(), ..fixtures::api_key() };
        world.last_unit_of_work().api_keys.expect_hold().returning(move |_, _| Ok(Some(own.clone())));
        world.last_unit_of_work().members.expect_update().times(usize::from(lacking.is_none())).returning(|_| Ok(()));
        let answer = update(&world.app(), caller, id(40), change.clone()).await;
        assert_eq!(escalation(answer), lacking, "{change:?}");
    }
}

/// Returns the permission in the refusal.
fn escalation(answer: Result<Member, Error>) -> Option<Permission> {
    match answer {
        Ok(_) => None,
        Err(Error::RoleEscalation { permission, .. }) => Some(permission),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn removed_or_demoted_member_invites_changes_and_removes_no_member() {
    let demoted = Member { role: Role::Member, ..max() };
    for (now, is_gone) in [(None, true), (Some(demoted), false)] {
        let refused = |answer: Result<(), Error>| match answer {
            Err(Error::UnknownApiKey) => is_gone,
            Err(Error::RoleNotAllowed { role: Role::Member, .. }) => !is_gone,
            other => panic!("{other:?}"),
        };
        let mut world = World::default();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        let since = now.clone();
        tx.members.expect_hold().once().return_once(move |_, _| Ok(since));
        let journal = world.journal.clone();
        assert!(refused(invite(&world.app(), &admin(), maria()).await.map(drop)));
        assert_eq!(journal.entries(), []);
        // A member with a lower id than the admin is locked before the admin, others after.
        for member_id in [id(40), id(42)] {
            let world = || {
                let mut world = with(Member { member_id, ..fixtures::member() });
                let since = now.clone();
                world.last_unit_of_work().members.expect_hold().once().return_once(move |_, _| Ok(since));
                world
            };
            let change = MemberChange { name: Some("Mia".to_owned()), ..MemberChange::default() };
            assert!(refused(update(&world().app(), &admin(), member_id, change).await.map(drop)));
            assert!(refused(remove(&world().app(), &admin(), member_id).await));
        }
        // Changes of the own member are checked in the same manner.
        let mut world = World::default();
        let since = now.clone();
        world.unit_of_work().members.expect_lock().once().return_once(move |_, _| Ok(since));
        let promotion = MemberChange { role: Some("admin".to_owned()), ..MemberChange::default() };
        assert!(refused(update(&world.app(), &admin(), id(41), promotion).await.map(drop)));
    }
}

#[tokio::test]
async fn members_are_locked_in_order_of_id() {
    for (member_id, is_locked_first) in [(id(40), true), (id(42), false)] {
        let mut order = Sequence::new();
        let mut world = World::default();
        let tx = world.unit_of_work();
        let member = Member { member_id, ..fixtures::member() };
        let lock = |tx: &mut MockTx, order: &mut Sequence| {
            let member = member.clone();
            tx.members.expect_lock().once().in_sequence(order).return_once(move |_, _| Ok(Some(member)));
        };
        if is_locked_first {
            lock(tx, &mut order);
        }
        tx.members.expect_hold().once().in_sequence(&mut order).return_once(|_, _| Ok(Some(max())));
        if !is_locked_first {
            lock(tx, &mut order);
        }
        tx.members.expect_remove().once().in_sequence(&mut order).returning(|_, _| Ok(RevokedCredentials::default()));
        tx.threads.expect_unassign().returning(|_, _, _, _| Ok(()));
        remove(&world.app(), &admin(), member_id).await.unwrap();
    }
}
