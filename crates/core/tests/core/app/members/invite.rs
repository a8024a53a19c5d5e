//! Invitations.

use super::*;

#[tokio::test]
async fn invitation_creates_invited_member_and_mail_without_link() {
    let (world, inserted, mailed) = inviting(24);
    let journal = world.journal.clone();
    let member = invite(&world.app(), &admin(), maria()).await.unwrap();
    assert_eq!(inserted.only(), member);
    assert_eq!((member.role, member.joined_at, member.name.as_str()), (Role::Member, None, "Maria"));
    assert!(member.inbox_ids.is_empty());
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
    let mail = mailed.only().remove(0);
    assert!(!mail.is_code, "the mail is queued for its organization");
    assert_eq!((mail.recipients.clone(), mail.message), (vec![fixtures::address("maria@example.org")], None));
    let RawMail::Sealed(sealed) = &mail.raw else { panic!("the mail is encrypted at rest") };
    let text = inboxd_mail::parse(&PlainVault.open(mail.outgoing_id.0.as_bytes(), sealed).unwrap()).text.unwrap();
    assert!(text.contains("owner@example.org") && text.contains("POST /v0/agent/sign-in"), "{text}");
    assert!(!text.contains("://"), "{text}");
}

#[tokio::test]
async fn member_cap_includes_owner_and_invited() {
    let (world, ..) = inviting(25);
    let journal = world.journal.clone();
    let refused = invite(&world.app(), &admin(), maria()).await;
    assert!(matches!(refused, Err(Error::LimitReached { which: LimitReached::Members, limit: 25, .. })));
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn contended_invitation_is_retried() {
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
async fn invitation_needs_verified_owner() {
    let mut world = World::default();
    locks(world.unit_of_work(), fixtures::unverified());
    assert!(matches!(invite(&world.app(), &admin(), maria()).await, Err(Error::InvitationUnverified)));
}

#[tokio::test]
async fn address_of_existing_member_is_refused() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, fixtures::organization());
    let elsewhere = Organization { organization_id: id(90), ..fixtures::organization() };
    let there = Member { organization_id: id(90), member_id: id(91), ..fixtures::member() };
    let known = [(elsewhere, there), (fixtures::organization(), fixtures::member())]
        .map(|(organization, member)| Membership { organization, member, used_at: None });
    tx.members.expect_hold().returning(|_, _| Ok(Some(max())));
    tx.members.expect_of_address().return_once(move |_, asked| {
        assert_eq!(asked, Some(id(1)), "an invitation is found among many");
        Ok(known.to_vec())
    });
    let refused = invite(&world.app(), &admin(), maria()).await;
    let theirs = fixtures::member().member_id.to_string();
    assert!(matches!(refused, Err(Error::AlreadyExists { resource: Resource::Member, id, .. }) if id == theirs));
}

#[tokio::test]
async fn invalid_invitation_fields_are_all_named() {
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
async fn locally_hosted_address_is_refused_in_any_organization() {
    for (home, refused) in [(Locality::Local, true), (Locality::Claimed, true), (Locality::Remote, false)] {
        let mut world = if refused { World::default() } else { inviting(1).0 };
        world.store.expect_custom_homes().once().returning(move |_| Ok(vec![home]));
        let answer = invite(&world.app(), &admin(), maria()).await;
        assert_eq!(answer.err().map(paths), refused.then(|| vec!["email".to_owned()]), "{home:?}");
    }
}

#[tokio::test]
async fn inboxes_of_member_must_belong_to_organization() {
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
async fn repeated_client_id_returns_invited_member() {
    for (is_there, mailed) in [(true, true), (false, false)] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        locks(tx, fixtures::organization());
        tx.members.expect_find_by_client_id().return_once(move |_, _| Ok(Some((fixtures::member(), is_there))));
        let journal = world.journal.clone();
        let again = NewMember { client_id: Some("one".to_owned()), ..maria() };
        let answer = invite(&world.app(), &admin(), again).await;
        assert_eq!(matches!(answer, Ok(member) if member == fixtures::member()), mailed);
        assert_eq!(journal.entries(), [], "nothing is stored, and no mail is sent again");
    }
}
