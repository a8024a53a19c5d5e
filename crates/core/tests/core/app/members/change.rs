//! Changes and removals of members.

use super::*;

#[tokio::test]
async fn only_sent_member_fields_change() {
    let before = Member { inbox_ids: BTreeSet::from([fixtures::inbox().inbox_id]), ..fixtures::member() };
    let change = |name: Option<&str>, role: Option<&str>, inbox_ids| MemberChange {
        name: name.map(str::to_owned),
        role: role.map(str::to_owned),
        inbox_ids,
    };
    let table = [
        (change(Some("Mia"), None, None), Member { name: "Mia".to_owned(), ..before.clone() }),
        (change(None, Some("admin"), None), Member { role: Role::Admin, ..before.clone() }),
        (change(None, None, Some(Vec::new())), Member { inbox_ids: BTreeSet::new(), ..before.clone() }),
        (change(None, None, None), before.clone()),
    ];
    for (change, expected) in table {
        let mut world = with_max(before.clone());
        let updated = Captured::default();
        let seen = updated.clone();
        let tx = world.last_unit_of_work();
        tx.members.expect_update().returning(move |member| {
            seen.push(member.clone());
            Ok(())
        });
        tx.threads.expect_unassign().returning(|_, _, _, _| Ok(()));
        assert_eq!(update(&world.app(), &admin(), before.member_id, change).await.unwrap(), expected);
        assert_eq!(updated.only(), Member { updated_at: NOW, ..expected });
    }
}

#[tokio::test]
async fn inaccessible_threads_of_member_become_unassigned() {
    let scout = BTreeSet::from([fixtures::inbox().inbox_id]);
    let limited = Member { inbox_ids: scout.clone(), ..fixtures::member() };
    let admin_of_one = Member { role: Role::Admin, ..limited.clone() };
    let role = |role: &str| MemberChange { role: Some(role.to_owned()), ..MemberChange::default() };
    let table = [
        ("an admin becomes a limited member", admin_of_one.clone(), role("member"), Some(scout.clone())),
        ("a limited member becomes an admin", limited.clone(), role("admin"), None),
        ("a limit falls", limited, MemberChange { inbox_ids: Some(Vec::new()), ..MemberChange::default() }, None),
        ("the limit of an admin has no effect", admin_of_one, role("admin"), None),
    ];
    for (what, before, change, kept) in table {
        let mut world = with_max(before.clone());
        let tx = world.last_unit_of_work();
        tx.members.expect_update().once().returning(|_| Ok(()));
        let whose = before.member_id.to_string();
        tx.threads.expect_unassign().times(usize::from(kept.is_some())).returning(move |_, assignee, keep, at| {
            assert_eq!((assignee, Some(keep), at), (whose.as_str(), kept.as_ref(), NOW), "{what}");
            Ok(())
        });
        update(&world.app(), &admin(), before.member_id, change).await.unwrap();
    }
}

#[tokio::test]
async fn owner_cannot_be_removed_or_demoted() {
    let owner = Member { role: Role::Owner, ..fixtures::member() };
    for caller in [fixtures::caller(), admin(), fixtures::calling(&owner)] {
        let refused = remove(&with_max(owner.clone()).app(), &caller, owner.member_id).await;
        assert!(matches!(refused, Err(Error::OwnerProtected)));
        let demotion = MemberChange { role: Some("admin".to_owned()), ..MemberChange::default() };
        let refused = update(&with_max(owner.clone()).app(), &caller, owner.member_id, demotion).await;
        assert!(matches!(refused, Err(Error::OwnerProtected)));
    }
}

#[tokio::test]
async fn members_remove_themselves_and_owners_and_admins_anyone() {
    let member = fixtures::member();
    let granted = |names| Caller { permissions: crate::app::permissions(names), ..fixtures::calling(&member) };
    for caller in [fixtures::calling(&member), granted(&["member_delete"]), admin(), fixtures::caller()] {
        let mut world = with_max(member.clone());
        let tx = world.last_unit_of_work();
        tx.members.expect_remove().once().return_once(|_, _| Ok(RevokedCredentials::default()));
        let whose = member.member_id.to_string();
        tx.threads.expect_unassign().once().return_once(move |_, assignee, keep, at| {
            assert_eq!((assignee, keep.is_empty(), at), (whose.as_str(), true, NOW));
            Ok(())
        });
        let journal = world.journal.clone();
        remove(&world.app(), &caller, member.member_id).await.unwrap();
        assert_eq!(journal.commits(), 1);
    }
    let refused = remove(&World::default().app(), &fixtures::calling(&member), id(99)).await;
    assert!(matches!(refused, Err(Error::RoleNotAllowed { .. })));
    // A key whose map lacks the permission cannot remove its own member either.
    let refused = remove(&World::default().app(), &granted(&["message_read"]), member.member_id).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MemberDelete))));
}
