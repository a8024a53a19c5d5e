use inboxd_core::app::account::{SignInProof, identity, mail_sign_in_codes, sign_in, switch, verify_sign_in};
use inboxd_core::app::purge_sign_in_codes;
use inboxd_core::model::outgoing::{Outgoing, RawMail};
use inboxd_core::model::{ApiKey, Caller, Home, InboxId, Member, Membership, Organization, Reach, Role, SignInCode};
use inboxd_core::ports::{Destination, StoreError, Vault};
use inboxd_core::rules::sign_in::digits;
use inboxd_core::testing::fixtures::{self, NOW, address, id};
use inboxd_core::testing::{Captured, Happened, PlainVault, World};
use inboxd_core::{Error, Resource};
use inboxd_mail::EmailAddress;
use time::Duration;

use super::{locks, paths, permissions};

fn code() -> SignInCode {
    SignInCode { mail_due_at: None, ..SignInCode::fresh(address("maria@example.org"), [1; 32], NOW) }
}

fn membership() -> Membership {
    Membership { organization: fixtures::organization(), member: fixtures::member(), used_at: None }
}

fn right(world: &World) -> String {
    digits(&world.settings.signing_key, &code())
}

fn proof(otp_code: String) -> SignInProof {
    SignInProof { email: "Maria@Example.org".to_owned(), otp_code, organization_id: None }
}

#[tokio::test]
async fn asking_for_a_code_does_the_same_for_every_address_and_asks_nobody_who_is_there() {
    let mut world = World::default();
    let stored = Captured::default();
    let seen = stored.clone();
    world.unit_of_work().sign_ins.expect_ask().once().returning(move |code, now| {
        assert_eq!(now, NOW);
        seen.push(code.clone());
        Ok(())
    });
    let journal = world.journal.clone();
    // The store expects no question at all: whatever was asked would be told by its time.
    sign_in(&world.app(), " Nobody@Example.org ").await.unwrap();
    let code: SignInCode = stored.only();
    assert_eq!((code.email, code.attempts), (address("nobody@example.org"), 0));
    assert_eq!((code.expires_at, code.mail_due_at), (NOW + Duration::minutes(15), Some(NOW)));
    assert_eq!(journal.entries(), [Happened::Committed, Happened::WokenForSignIns]);
    assert_eq!(paths(sign_in(&World::default().app(), "nobody").await.unwrap_err()), ["email"]);
}

/// Mails one due code; answers the mails that were queued.
async fn mailed(code: SignInCode, memberships: Vec<Membership>) -> Vec<Outgoing> {
    mailed_to(Home::Elsewhere, code, memberships).await
}

async fn mailed_to(home: Home, code: SignInCode, memberships: Vec<Membership>) -> Vec<Outgoing> {
    mailed_with(home, None, code, memberships).await
}

/// The same where there may be a live inbox of the address.
async fn mailed_with(
    home: Home,
    inbox: Option<Destination>,
    code: SignInCode,
    memberships: Vec<Membership>,
) -> Vec<Outgoing> {
    let mut world = World::default();
    let inbox = inbox.map(|inbox| Destination { inbox_id: InboxId::of(&code.email), ..inbox });
    world.store.expect_custom_homes().returning(move |_| Ok(vec![home]));
    let (due, settled) = (vec![code.clone()], Captured::default());
    world.unit_of_work().sign_ins.expect_claim().once().return_once(move |_, _, _| Ok(due));
    let is_read_here = home == Home::Here || inbox.is_some();
    let may_read = home == Home::Elsewhere || memberships.iter().any(|membership| membership.member.is_active());
    let is_owed = !is_read_here && may_read && !memberships.is_empty() && !code.is_expired(NOW);
    world.store.expect_memberships_of().returning(move |_| Ok(vec![Some(memberships.clone())]));
    world.store.expect_destinations().returning(move |_| Ok(vec![inbox.clone().map(Into::into)]));
    let queued = Captured::default();
    if is_owed {
        let seen = queued.clone();
        world.unit_of_work().outgoing.expect_enqueue().once().returning(move |mails: &[Outgoing]| {
            seen.push(mails.to_vec());
            Ok(())
        });
    }
    let seen = settled.clone();
    world.unit_of_work().sign_ins.expect_settle().once().returning(move |codes| {
        seen.push(codes.to_vec());
        Ok(())
    });
    let journal = world.journal.clone();
    assert!(!mail_sign_in_codes(&world.app()).await.unwrap(), "no more are due");
    assert_eq!(settled.only(), [code]);
    let queuing: &[Happened] = if is_owed { &[Happened::Committed, Happened::Woken] } else { &[] };
    assert_eq!(journal.entries(), [&[Happened::Committed], queuing, &[Happened::Committed]].concat());
    queued.all().concat()
}

#[tokio::test]
async fn a_code_that_cannot_be_mailed_keeps_no_other_from_its_mail() {
    let mut world = World::default();
    let broken = SignInCode { email: address("broken@example.org"), ..code() };
    let due = vec![broken.clone(), code()];
    world.unit_of_work().sign_ins.expect_claim().once().return_once(move |_, _, _| Ok(due));
    // However many codes there are, each question is asked once.
    let asked = vec![broken.email, code().email];
    let is_asked = move |addresses: &[EmailAddress]| addresses == asked;
    let found = vec![None, Some(vec![membership()])];
    world.store.expect_memberships_of().once().withf(is_asked.clone()).return_once(move |_| Ok(found));
    let elsewhere = vec![Home::Elsewhere; 2];
    world.store.expect_custom_homes().once().withf(is_asked.clone()).return_once(move |_| Ok(elsewhere));
    world.store.expect_destinations().once().withf(is_asked).return_once(|_| Ok(vec![None, None]));
    world.unit_of_work().outgoing.expect_enqueue().once().returning(|mails: &[Outgoing]| {
        assert_eq!(mails.iter().flat_map(|mail| &mail.recipients).collect::<Vec<_>>(), [&code().email]);
        Ok(())
    });
    world.unit_of_work().sign_ins.expect_settle().once().returning(|codes| {
        assert_eq!(codes, [code()]);
        Ok(())
    });
    assert!(matches!(mail_sign_in_codes(&world.app()).await, Err(Error::Internal(_))));
}

#[tokio::test]
async fn codes_are_mailed_in_batches_until_no_more_are_due() {
    for (due, more) in [(100, true), (99, false)] {
        let mut world = World::default();
        world.unit_of_work().sign_ins.expect_claim().once().return_once(move |_, _, limit| {
            assert_eq!(limit, 100);
            Ok(vec![SignInCode { expires_at: NOW, ..code() }; due])
        });
        world.unit_of_work().sign_ins.expect_settle().once().returning(|_| Ok(()));
        assert_eq!(mail_sign_in_codes(&world.app()).await.unwrap(), more);
    }
}

#[tokio::test]
async fn codes_that_ran_out_are_forgotten_in_batches() {
    for (forgotten, more) in [(1000, true), (999, false)] {
        let mut world = World::default();
        world.unit_of_work().sign_ins.expect_forget_expired().once().returning(move |now, limit| {
            assert_eq!((now, limit), (NOW, 1000));
            Ok(forgotten)
        });
        let journal = world.journal.clone();
        assert_eq!(purge_sign_in_codes(&world.app()).await.unwrap(), more);
        assert_eq!(journal.commits(), 1);
    }
}

#[tokio::test]
async fn a_code_is_mailed_to_those_who_exist() {
    let mails = mailed(code(), vec![membership()]).await;
    assert_eq!(mails[0].recipients, [address("maria@example.org")]);
    let RawMail::Sealed(sealed) = &mails[0].raw else { panic!("a code must not lie open") };
    let text = inboxd_mail::parse(&PlainVault.open(mails[0].outgoing_id.0.as_bytes(), sealed).unwrap()).text.unwrap();
    assert!(text.starts_with(&format!("Your sign-in code is {}", right(&World::default()))), "{text}");
    assert_eq!(mailed(code(), Vec::new()).await, [], "nobody has the address");
    assert_eq!(mailed(SignInCode { expires_at: NOW, ..code() }, vec![membership()]).await, [], "it came too late");
}

#[tokio::test]
async fn an_invited_address_that_has_become_an_inbox_here_is_not_mailed() {
    let invited = Membership { member: Member { joined_at: None, ..fixtures::member() }, ..membership() };
    let (here, claimed) = (Home::Here, Home::Claimed);
    for home in [here, claimed] {
        assert_eq!(mailed_to(home, code(), vec![invited.clone()]).await, [], "whoever has a key could read the code");
    }
    let route = mailed_to(claimed, code(), vec![membership()]).await[0].route;
    assert_eq!(route, claimed.route(), "whoever belongs already gets back in");
    assert_eq!(mailed_to(Home::Elsewhere, code(), vec![invited]).await.len(), 1);
}

#[tokio::test]
async fn no_code_is_mailed_to_a_live_inbox_whoever_has_its_address() {
    assert_eq!(mailed_to(Home::Here, code(), vec![membership()]).await, []);
    for home in [Home::Claimed, Home::Elsewhere] {
        // Mail from outside is taken for every live inbox, whether or not its domain is still verified.
        assert_eq!(mailed_with(home, Some(fixtures::destination()), code(), vec![membership()]).await, []);
    }
}

#[tokio::test]
async fn the_mail_goes_to_the_spelling_that_was_proven_and_not_to_one_that_a_stranger_chose() {
    let spelled = |email: &str, organization, role, joined_at| {
        let member = Member { email: address(email), role, joined_at, ..fixtures::member() };
        Membership { organization, member, used_at: None }
    };
    let invited = spelled("MARIA@example.org", fixtures::organization(), Role::Admin, None);
    // Anybody can sign up with any address.
    let unproven = spelled("mARIA@example.org", fixtures::unverified(), Role::Owner, Some(NOW));
    let member = spelled("Maria@example.org", fixtures::organization(), Role::Member, Some(NOW));
    let owner = spelled("maria@example.org", fixtures::organization(), Role::Owner, Some(NOW));
    let table = [
        (vec![&invited, &unproven, &member, &owner], "maria@example.org"),
        (vec![&invited, &unproven, &member], "Maria@example.org"),
        (vec![&invited, &unproven], "mARIA@example.org"),
        (vec![&invited], "MARIA@example.org"),
    ];
    for (memberships, expected) in table {
        let mails = mailed(code(), memberships.into_iter().cloned().collect()).await;
        assert_eq!(mails[0].recipients[0].as_str(), expected);
    }
}

/// Prepares a sign-in that succeeds; answers the key that it makes.
fn succeeds(world: &mut World, organization: Organization, member: Member) -> Captured<ApiKey> {
    let made = Captured::default();
    let landed = Membership { organization: organization.clone(), member: member.clone(), used_at: None };
    let tx = world.unit_of_work();
    tx.sign_ins.expect_lock().once().return_once(|_| Ok(Some(code())));
    tx.members.expect_of_address().once().return_once(move |_, _| Ok(vec![landed]));
    locks(tx, organization);
    tx.members.expect_lock().once().return_once(move |_, _| Ok(Some(member)));
    let seen = made.clone();
    tx.api_keys.expect_insert().once().returning(move |key, _| {
        seen.push(key.clone());
        Ok(())
    });
    tx.members.expect_join().once().returning(|email, at| {
        assert_eq!((email, at), (&address("maria@example.org"), NOW));
        Ok(())
    });
    tx.sign_ins.expect_end().once().returning(|_, at| {
        assert_eq!(at, NOW);
        Ok(())
    });
    made
}

#[tokio::test]
async fn the_mailed_code_makes_a_key_of_that_person_named_with_a_sign_in_label_and_date_and_time() {
    let mut world = World::default();
    let made = succeeds(&mut world, fixtures::organization(), fixtures::member());
    let request = proof(right(&world));
    let signed_in = verify_sign_in(&world.app(), request).await.unwrap();
    let key = made.only();
    assert_eq!((key.member_id, key.reach, key.permissions), (Some(id(40)), Reach::Organization, None));
    assert_eq!((key.api_key_id, key.name.as_str()), (signed_in.api_key_id, "Sign-in 2026-11-20 10:00:00 UTC"));
    assert_eq!((signed_in.organization_id, signed_in.name), (id(1), key.name));
}

#[tokio::test]
async fn a_sign_in_that_something_came_between_is_done_again() {
    let mut world = World::default();
    world.unit_of_work().sign_ins.expect_lock().once().return_once(|_| Err(StoreError::Contention));
    let made = succeeds(&mut world, fixtures::organization(), fixtures::member());
    let request = proof(right(&world));
    verify_sign_in(&world.app(), request).await.unwrap();
    assert_eq!(made.only().member_id, Some(id(40)));
}

#[tokio::test]
async fn an_owner_who_signs_in_while_unverified_is_mailed_a_fresh_code_for_verify() {
    let mut world = World::default();
    let owner = Member { role: Role::Owner, ..fixtures::member() };
    succeeds(&mut world, fixtures::unverified(), owner);
    let tx = world.last_unit_of_work();
    tx.accounts.expect_lock_code().once().returning(|_| Ok(None));
    tx.accounts.expect_put_code().once().returning(|_| Ok(()));
    tx.outgoing.expect_enqueue().once().returning(|_| Ok(()));
    let request = proof(right(&world));
    verify_sign_in(&world.app(), request).await.unwrap();
}

#[tokio::test]
async fn a_wrong_code_is_counted_whether_or_not_anybody_has_the_address() {
    for (is_right, counted) in [(false, true), (true, true)] {
        let mut world = World::default();
        let tried = Captured::default();
        let tx = world.unit_of_work();
        tx.sign_ins.expect_lock().return_once(|_| Ok(Some(code())));
        tx.members.expect_of_address().times(usize::from(is_right)).returning(|_, _| Ok(Vec::new()));
        let seen = tried.clone();
        tx.sign_ins.expect_tried().once().returning(move |code| {
            assert_eq!(code.guesses_until, Some(NOW + SignInCode::GUESS_PACE), "against the address as well");
            seen.push(code.attempts);
            Ok(())
        });
        let right = right(&world);
        let wrong = if right == "000000" { "000001".to_owned() } else { "000000".to_owned() };
        let journal = world.journal.clone();
        let refused = verify_sign_in(&world.app(), proof(if is_right { right } else { wrong })).await;
        assert!(matches!(refused, Err(Error::WrongSignInCode)));
        assert_eq!((tried.only(), journal.commits() == 1), (1, counted));
    }
}

#[tokio::test]
async fn a_code_that_was_used_ran_out_or_was_tried_too_often_is_refused() {
    let table = [
        (None, false),
        (Some(SignInCode { expires_at: NOW, ..code() }), false),
        (Some(SignInCode { attempts: 10, ..code() }), true),
    ];
    for (stored, is_exhausted) in table {
        let mut world = World::default();
        world.unit_of_work().sign_ins.expect_lock().return_once(move |_| Ok(stored));
        let request = proof(right(&world));
        match verify_sign_in(&world.app(), request).await {
            Err(Error::SignInAttemptsExceeded) => assert!(is_exhausted),
            Err(Error::WrongSignInCode) => assert!(!is_exhausted),
            _ => panic!("it was taken"),
        }
    }
}

#[tokio::test]
async fn not_even_the_right_code_is_taken_while_an_address_is_paused() {
    let until = NOW + Duration::minutes(7);
    let guesses_until = Some(until + SignInCode::GUESS_PACE * (SignInCode::MOST_GUESSES - 1));
    let mut world = World::default();
    let paused = SignInCode { guesses_until, ..code() };
    world.unit_of_work().sign_ins.expect_lock().return_once(move |_| Ok(Some(paused)));
    let request = proof(right(&world));
    let refused = verify_sign_in(&world.app(), request).await;
    assert!(matches!(refused, Err(Error::SignInPaused { until: told }) if told == until));
}

#[tokio::test]
async fn an_organization_that_is_not_theirs_is_not_found_and_the_code_stays() {
    for asked in ["org_00000000000000000000000000000063", "nonsense"] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        tx.sign_ins.expect_lock().return_once(|_| Ok(Some(code())));
        tx.members.expect_of_address().return_once(move |_, named| {
            assert_eq!(
                named.is_some(),
                asked != "nonsense",
                "an invitation that is not among the newest is looked for"
            );
            Ok(vec![membership()])
        });
        let journal = world.journal.clone();
        let request = SignInProof { organization_id: Some(asked.to_owned()), ..proof(right(&world)) };
        let refused = verify_sign_in(&world.app(), request).await;
        assert!(matches!(refused, Err(Error::NotFound { resource: Resource::Organization, .. })), "{asked}");
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn both_bad_fields_of_a_proof_are_named() {
    let request = SignInProof { email: "nobody".to_owned(), otp_code: "12".to_owned(), organization_id: None };
    let refused = verify_sign_in(&World::default().app(), request).await.err().unwrap();
    assert_eq!(paths(refused), ["email", "otp_code"]);
}

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
