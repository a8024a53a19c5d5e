use std::collections::BTreeSet;

use inboxd_core::app::members::{MemberChange, NewMember, invite, remove, update};
use inboxd_core::model::outgoing::{Outgoing, RawMail};
use inboxd_core::model::{ApiKey, Caller, Home, Member, Membership, Organization, Permission, Role};
use inboxd_core::ports::{StoreError, Vault};
use inboxd_core::rules::roles;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, Happened, MockTx, PlainVault, World};
use inboxd_core::{Error, LimitReached, Resource};

use mockall::Sequence;

use super::{locks, paths};

fn maria() -> NewMember {
    NewMember { email: " Maria@Example.org ".to_owned(), role: "member".to_owned(), ..NewMember::default() }
}

fn max() -> Member {
    Member { role: Role::Admin, member_id: id(41), ..fixtures::member() }
}

/// Max, an admin.
fn admin() -> Caller {
    fixtures::calling(&max())
}

/// A key that holds what a role allows, and these.
fn holding(role: Role, more: &[&str]) -> Caller {
    let allowed = Permission::ALL.iter().filter(|permission| roles::allows(role, **permission));
    let names: Vec<&str> = allowed.map(|permission| permission.as_str()).chain(more.iter().copied()).collect();
    Caller { permissions: super::permissions(&names), ..fixtures::caller() }
}

/// A world in which an invitation gets as far as its mail.
fn inviting(members: u64) -> (World, Captured<Member>, Captured<Vec<Outgoing>>) {
    let (inserted, mailed) = (Captured::default(), Captured::default());
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.members.expect_hold().returning(|_, _| Ok(Some(max())));
    tx.members.expect_of_address().returning(|_, _| Ok(Vec::new()));
    tx.members.expect_count().returning(move |_| Ok(members));
    let seen = inserted.clone();
    tx.members.expect_insert().times(..=1).returning(move |member| {
        seen.push(member.clone());
        Ok(())
    });
    let seen = mailed.clone();
    tx.outgoing.expect_enqueue().times(..=1).returning(move |mails| {
        seen.push(mails.to_vec());
        Ok(())
    });
    (world, inserted, mailed)
}

#[tokio::test]
async fn an_invitation_is_a_member_who_has_not_joined_and_a_mail_without_a_link() {
    let (world, inserted, mailed) = inviting(24);
    let journal = world.journal.clone();
    let member = invite(&world.app(), &admin(), maria()).await.unwrap();
    assert_eq!(inserted.only(), member);
    assert_eq!((member.role, member.joined_at, member.name.as_str()), (Role::Member, None, "Maria"));
    assert!(member.inbox_ids.is_empty());
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
    let mail = mailed.only().remove(0);
    assert!(!mail.is_code, "it waits as mail of its organization");
    assert_eq!((mail.recipients.clone(), mail.message), (vec![fixtures::address("maria@example.org")], None));
    let RawMail::Sealed(sealed) = &mail.raw else { panic!("it must not lie open") };
    let text = inboxd_mail::parse(&PlainVault.open(mail.outgoing_id.0.as_bytes(), sealed).unwrap()).text.unwrap();
    assert!(text.contains("owner@example.org") && text.contains("POST /v0/agent/sign-in"), "{text}");
    assert!(!text.contains("://"), "{text}");
}

#[tokio::test]
async fn the_cap_holds_the_owner_and_the_invited() {
    let (world, ..) = inviting(25);
    let journal = world.journal.clone();
    let refused = invite(&world.app(), &admin(), maria()).await;
    assert!(matches!(refused, Err(Error::LimitReached { which: LimitReached::Members, limit: 25, .. })));
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn only_owners_and_admins_and_keys_of_the_organization_invite() {
    let member = fixtures::calling(&fixtures::member());
    let refused = invite(&World::default().app(), &member, maria()).await;
    assert!(matches!(refused, Err(Error::RoleNotAllowed { permission: Permission::MemberCreate, .. })));
    let blind = Caller { permissions: super::permissions(&["member_read"]), ..fixtures::caller() };
    let refused = invite(&World::default().app(), &blind, maria()).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MemberCreate))));
    let (world, ..) = inviting(1);
    invite(&world.app(), &holding(Role::Member, &["member_create"]), maria()).await.unwrap();
}

#[tokio::test]
async fn nobody_gives_a_role_that_allows_more_than_they_hold() {
    let inviting_alone = Caller { permissions: super::permissions(&["member_create"]), ..fixtures::caller() };
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
    // What counts is what they are to be in the end, wherever.
    let of_role = |role: &str| MemberChange { role: Some(role.to_owned()), ..MemberChange::default() };
    let everywhere = || MemberChange { inbox_ids: Some(Vec::new()), ..MemberChange::default() };
    let named = || MemberChange { name: Some("Mia".to_owned()), ..MemberChange::default() };
    let whole_member = holding(Role::Member, &["member_update"]);
    let updating_alone = Caller { permissions: super::permissions(&["member_update"]), ..fixtures::caller() };
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

/// What the caller lacked, where that was why they were refused.
fn escalation(answer: Result<Member, Error>) -> Option<Permission> {
    match answer {
        Ok(_) => None,
        Err(Error::RoleEscalation { permission, .. }) => Some(permission),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn somebody_who_was_removed_or_demoted_meanwhile_invites_changes_and_removes_nobody() {
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
        // A lower id than that of the admin is locked before theirs, a higher one after.
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
        // What somebody may do to themselves is looked at in the same way.
        let mut world = World::default();
        let since = now.clone();
        world.unit_of_work().members.expect_lock().once().return_once(move |_, _| Ok(since));
        let promotion = MemberChange { role: Some("admin".to_owned()), ..MemberChange::default() };
        assert!(refused(update(&world.app(), &admin(), id(41), promotion).await.map(drop)));
    }
}

#[tokio::test]
async fn of_two_people_the_one_with_the_lower_id_is_locked_first() {
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
        tx.members.expect_remove().once().in_sequence(&mut order).returning(|_, _| Ok(()));
        tx.threads.expect_unassign().returning(|_, _, _, _| Ok(()));
        remove(&world.app(), &admin(), member_id).await.unwrap();
    }
}

#[tokio::test]
async fn an_invitation_that_stood_in_the_way_of_another_is_done_again() {
    let (mut world, ..) = inviting(1);
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.members.expect_hold().returning(|_, _| Ok(Some(max())));
    tx.members.expect_of_address().returning(|_, _| Ok(Vec::new()));
    tx.members.expect_count().returning(|_| Ok(1));
    tx.members.expect_insert().once().returning(|_| Ok(()));
    tx.outgoing.expect_enqueue().once().returning(|_| Ok(()));
    let journal = world.journal.clone();
    invite(&world.app(), &admin(), maria()).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
}

#[tokio::test]
async fn until_the_owner_is_confirmed_nobody_is_invited() {
    let mut world = World::default();
    locks(world.unit_of_work(), fixtures::unverified());
    assert!(matches!(invite(&world.app(), &admin(), maria()).await, Err(Error::InvitationUnverified)));
}

#[tokio::test]
async fn an_address_that_belongs_to_a_member_is_refused() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    let elsewhere = Organization { organization_id: id(90), ..fixtures::organization() };
    let there = Member { organization_id: id(90), member_id: id(91), ..fixtures::member() };
    let known = [(elsewhere, there), (fixtures::organization(), fixtures::member())]
        .map(|(organization, member)| Membership { organization, member, used_at: None });
    tx.members.expect_hold().returning(|_, _| Ok(Some(max())));
    tx.members.expect_of_address().return_once(move |_, asked| {
        assert_eq!(asked, Some(id(1)), "an invitation is found however many there are");
        Ok(known.to_vec())
    });
    let refused = invite(&world.app(), &admin(), maria()).await;
    let theirs = fixtures::member().member_id.to_string();
    assert!(matches!(refused, Err(Error::AlreadyExists { resource: Resource::Member, id, .. }) if id == theirs));
}

#[tokio::test]
async fn every_bad_field_of_an_invitation_is_named() {
    let new = NewMember {
        email: "nobody".to_owned(),
        role: "owner".to_owned(),
        name: Some(" ".to_owned()),
        client_id: Some("a b".to_owned()),
        inbox_ids: vec![inbox_id("scout@inboxd.example"); 1001],
    };
    let refused = invite(&World::default().app(), &admin(), new).await.unwrap_err();
    assert_eq!(paths(refused), ["email", "role", "inbox_ids", "name", "client_id"]);
    let inside = NewMember { email: "scout@signup.inboxd.example".to_owned(), ..maria() };
    assert_eq!(paths(invite(&World::default().app(), &admin(), inside).await.unwrap_err()), ["email"]);
}

#[tokio::test]
async fn an_address_whose_mail_comes_here_is_refused_wherever_it_is_hosted() {
    for (home, refused) in [(Home::Here, true), (Home::Claimed, true), (Home::Elsewhere, false)] {
        let mut world = if refused { World::default() } else { inviting(1).0 };
        world.store.expect_custom_homes().once().returning(move |_| Ok(vec![home]));
        let answer = invite(&world.app(), &admin(), maria()).await;
        assert_eq!(answer.err().map(paths), refused.then(|| vec!["email".to_owned()]), "{home:?}");
    }
}

#[tokio::test]
async fn inboxes_of_a_member_must_be_inboxes_of_the_organization() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    tx.inboxes.expect_hold().once().returning(|wanted| {
        Ok(wanted.iter().filter(|one| one.inbox_id == fixtures::inbox().inbox_id).cloned().collect())
    });
    let inbox_ids = vec![inbox_id("scout@inboxd.example"), inbox_id("other@inboxd.example")];
    let refused = invite(&world.app(), &admin(), NewMember { inbox_ids, ..maria() }).await.unwrap_err();
    assert_eq!(paths(refused), ["inbox_ids[1]"]);
}

#[tokio::test]
async fn the_same_client_id_answers_the_member_it_invited_while_they_are_there() {
    for (is_there, mailed) in [(true, true), (false, false)] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        tx.members.expect_find_by_client_id().return_once(move |_, _| Ok(Some((fixtures::member(), is_there))));
        let journal = world.journal.clone();
        let again = NewMember { client_id: Some("one".to_owned()), ..maria() };
        let answer = invite(&world.app(), &admin(), again).await;
        assert_eq!(matches!(answer, Ok(member) if member == fixtures::member()), mailed);
        assert_eq!(journal.entries(), [], "nothing is stored, and nobody is mailed again");
    }
}

/// A world in which this member is there to be changed, without anybody else having to wait: the organization is not
/// locked.
fn with(member: Member) -> World {
    let mut world = World::default();
    world.unit_of_work().members.expect_lock().return_once(move |_, _| Ok(Some(member)));
    world
}

/// The same for Max, who is an admin as he does it.
fn with_max(member: Member) -> World {
    let mut world = with(member);
    world.last_unit_of_work().members.expect_hold().returning(|_, _| Ok(Some(max())));
    world
}

#[tokio::test]
async fn only_the_fields_sent_change() {
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
async fn threads_that_a_member_can_no_longer_open_are_taken_from_them() {
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
async fn the_owner_cannot_be_removed_or_demoted() {
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
async fn anyone_can_remove_themselves_and_owners_and_admins_anybody() {
    let member = fixtures::member();
    let granted = |names| Caller { permissions: super::permissions(names), ..fixtures::calling(&member) };
    for caller in [fixtures::calling(&member), granted(&["member_delete"]), admin(), fixtures::caller()] {
        let mut world = with_max(member.clone());
        let tx = world.last_unit_of_work();
        tx.members.expect_remove().once().return_once(|_, _| Ok(()));
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
    // A key that was given a map without it does not take its person's place away either.
    let refused = remove(&World::default().app(), &granted(&["message_read"]), member.member_id).await;
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::MemberDelete))));
}
