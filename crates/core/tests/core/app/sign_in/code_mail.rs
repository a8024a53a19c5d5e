//! Code requests and their mail.

use super::*;

#[tokio::test]
async fn code_request_does_equal_work_for_every_address() {
    let mut world = World::default();
    let stored = Captured::default();
    let seen = stored.clone();
    world.unit_of_work().sign_ins.expect_ask().once().returning(move |code, now| {
        assert_eq!(now, NOW);
        seen.push(code.clone());
        Ok(())
    });
    let journal = world.journal.clone();
    // The store expects no query: any lookup would be revealed by its duration.
    sign_in(&world.app(), " Nobody@Example.org ").await.unwrap();
    let code: SignInCode = stored.only();
    assert_eq!((code.email, code.attempts), (address("nobody@example.org"), 0));
    assert_eq!((code.expires_at, code.mail_due_at), (NOW + Duration::minutes(15), Some(NOW)));
    assert_eq!(journal.entries(), [Happened::Committed, Happened::WokenForSignIns]);
    assert_eq!(paths(sign_in(&World::default().app(), "nobody").await.unwrap_err()), ["email"]);
}

/// Mails one due code and returns the queued mails.
async fn mailed(code: SignInCode, memberships: Vec<Membership>) -> Vec<QueuedMail> {
    mailed_to(Locality::Remote, code, memberships).await
}

async fn mailed_to(home: Locality, code: SignInCode, memberships: Vec<Membership>) -> Vec<QueuedMail> {
    mailed_with(home, None, code, memberships).await
}

/// The same with an inbox at the address.
async fn mailed_with(
    home: Locality,
    inbox: Option<Destination>,
    code: SignInCode,
    memberships: Vec<Membership>,
) -> Vec<QueuedMail> {
    let mut world = World::default();
    let inbox = inbox.map(|inbox| Destination { inbox_id: InboxId::of(&code.email), ..inbox });
    world.store.expect_custom_homes().returning(move |_| Ok(vec![home]));
    let (due, settled) = (vec![code.clone()], Captured::default());
    world.unit_of_work().sign_ins.expect_claim().once().return_once(move |_, _, _| Ok(due));
    let is_read_here = home == Locality::Local || inbox.is_some();
    let may_read = home == Locality::Remote || memberships.iter().any(|membership| membership.member.is_active());
    let is_owed = !is_read_here && may_read && !memberships.is_empty() && !code.is_expired(NOW);
    world.store.expect_memberships_of().returning(move |_| Ok(vec![Some(memberships.clone())]));
    world.store.expect_destinations().returning(move |_| Ok(vec![inbox.clone().map(Into::into)]));
    let queued = Captured::default();
    if is_owed {
        let seen = queued.clone();
        world.unit_of_work().outgoing.expect_enqueue().once().returning(move |mails: &[QueuedMail]| {
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
    assert!(!mail_sign_in_codes(&world.app()).await.unwrap(), "no more codes are due");
    assert_eq!(settled.only(), [code]);
    let queuing: &[Happened] = if is_owed { &[Happened::Committed, Happened::Woken] } else { &[] };
    assert_eq!(journal.entries(), [&[Happened::Committed], queuing, &[Happened::Committed]].concat());
    queued.all().concat()
}

#[tokio::test]
async fn undeliverable_code_does_not_block_others() {
    let mut world = World::default();
    let broken = SignInCode { email: address("broken@example.org"), ..code() };
    let due = vec![broken.clone(), code()];
    world.unit_of_work().sign_ins.expect_claim().once().return_once(move |_, _, _| Ok(due));
    // Each query runs once for any number of codes.
    let asked = vec![broken.email, code().email];
    let is_asked = move |addresses: &[EmailAddress]| addresses == asked;
    let found = vec![None, Some(vec![membership()])];
    world.store.expect_memberships_of().once().withf(is_asked.clone()).return_once(move |_| Ok(found));
    let elsewhere = vec![Locality::Remote; 2];
    world.store.expect_custom_homes().once().withf(is_asked.clone()).return_once(move |_| Ok(elsewhere));
    world.store.expect_destinations().once().withf(is_asked).return_once(|_| Ok(vec![None, None]));
    world.unit_of_work().outgoing.expect_enqueue().once().returning(|mails: &[QueuedMail]| {
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
async fn codes_are_mailed_in_batches_until_none_is_due() {
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
async fn expired_codes_are_purged_in_batches() {
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
async fn code_is_mailed_to_known_addresses() {
    let mails = mailed(code(), vec![membership()]).await;
    assert_eq!(mails[0].recipients, [address("maria@example.org")]);
    let RawMail::Sealed(sealed) = &mails[0].raw else { panic!("the code is encrypted at rest") };
    let text = inboxd_mail::parse(&PlainVault.open(mails[0].outgoing_id.0.as_bytes(), sealed).unwrap()).text.unwrap();
    assert!(text.starts_with(&format!("Your sign-in code is {}", right(&World::default()))), "{text}");
    assert_eq!(mailed(code(), Vec::new()).await, [], "the address is unknown");
    assert_eq!(mailed(SignInCode { expires_at: NOW, ..code() }, vec![membership()]).await, [], "the code has expired");
}

#[tokio::test]
async fn code_is_not_mailed_to_invited_inbox_address() {
    let invited = Membership { member: Member { joined_at: None, ..fixtures::member() }, ..membership() };
    let (here, claimed) = (Locality::Local, Locality::Claimed);
    for home in [here, claimed] {
        assert_eq!(mailed_to(home, code(), vec![invited.clone()]).await, [], "a holder of a key could read the code");
    }
    let route = mailed_to(claimed, code(), vec![membership()]).await[0].route;
    assert_eq!(route, claimed.route(), "an existing member can sign in");
    assert_eq!(mailed_to(Locality::Remote, code(), vec![invited]).await.len(), 1);
}

#[tokio::test]
async fn code_is_not_mailed_to_existing_inbox_of_any_organization() {
    assert_eq!(mailed_to(Locality::Local, code(), vec![membership()]).await, []);
    for home in [Locality::Claimed, Locality::Remote] {
        // Every existing inbox receives external mail, even if its domain is no longer verified.
        assert_eq!(mailed_with(home, Some(fixtures::destination()), code(), vec![membership()]).await, []);
    }
}

#[tokio::test]
async fn code_is_mailed_to_proven_spelling_of_address() {
    let spelled = |email: &str, organization, role, joined_at| {
        let member = Member { email: address(email), role, joined_at, ..fixtures::member() };
        Membership { organization, member, used_at: None }
    };
    let invited = spelled("MARIA@example.org", fixtures::organization(), Role::Admin, None);
    // Anyone can sign up with any address.
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
