//! Verification of a code.

use inboxd_core::CodeRefusal;

use super::*;

#[tokio::test]
async fn mailed_code_creates_named_key_of_person() {
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
async fn contended_sign_in_is_retried() {
    let mut world = World::default();
    world.unit_of_work().sign_ins.expect_lock().once().return_once(|_| Err(StoreError::Contention));
    let made = succeeds(&mut world, fixtures::organization(), fixtures::member());
    let request = proof(right(&world));
    verify_sign_in(&world.app(), request).await.unwrap();
    assert_eq!(made.only().member_id, Some(id(40)));
}

#[tokio::test]
async fn sign_in_of_unverified_owner_mails_verification_code() {
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
async fn wrong_code_counts_for_known_and_unknown_address() {
    for (is_right, counted) in [(false, true), (true, true)] {
        let mut world = World::default();
        let tried = Captured::default();
        let tx = world.unit_of_work();
        tx.sign_ins.expect_lock().return_once(|_| Ok(Some(code())));
        tx.members.expect_of_address().times(usize::from(is_right)).returning(|_, _| Ok(Vec::new()));
        let seen = tried.clone();
        tx.sign_ins.expect_tried().once().returning(move |code| {
            assert_eq!(code.guesses_until, Some(NOW + SignInCode::GUESS_PACE), "also counted for the address");
            seen.push(code.attempts);
            Ok(())
        });
        let right = right(&world);
        let wrong = if right == "000000" { "000001".to_owned() } else { "000000".to_owned() };
        let journal = world.journal.clone();
        let refused = verify_sign_in(&world.app(), proof(if is_right { right } else { wrong })).await;
        assert!(matches!(refused, Err(Error::Code(CodeRefusal::WrongSignIn))));
        assert_eq!((tried.only(), journal.commits() == 1), (1, counted));
    }
}

#[tokio::test]
async fn used_expired_or_exhausted_code_is_refused() {
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
            Err(Error::Code(CodeRefusal::SignInAttemptsExceeded)) => assert!(is_exhausted),
            Err(Error::Code(CodeRefusal::WrongSignIn)) => assert!(!is_exhausted),
            _ => panic!("the code is used"),
        }
    }
}

#[tokio::test]
async fn right_code_is_refused_while_address_is_paused() {
    let until = NOW + Duration::minutes(7);
    let guesses_until = Some(until + SignInCode::GUESS_PACE * (SignInCode::MAX_GUESSES - 1));
    let mut world = World::default();
    let paused = SignInCode { guesses_until, ..code() };
    world.unit_of_work().sign_ins.expect_lock().return_once(move |_| Ok(Some(paused)));
    let request = proof(right(&world));
    let refused = verify_sign_in(&world.app(), request).await;
    assert!(matches!(refused, Err(Error::Code(CodeRefusal::SignInPaused { until: told })) if told == until));
}

#[tokio::test]
async fn foreign_organization_is_not_found_and_code_stays_valid() {
    for asked in ["org_00000000000000000000000000000063", "nonsense"] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        tx.sign_ins.expect_lock().return_once(|_| Ok(Some(code())));
        tx.members.expect_of_address().return_once(move |_, named| {
            assert_eq!(named.is_some(), asked != "nonsense", "an older invitation is found");
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
async fn invalid_verification_fields_are_both_named() {
    let request = SignInProof { email: "nobody".to_owned(), otp_code: "12".to_owned(), ..SignInProof::default() };
    let refused = verify_sign_in(&World::default().app(), request).await.err().unwrap();
    assert_eq!(paths(refused), ["email", "otp_code"]);
}
