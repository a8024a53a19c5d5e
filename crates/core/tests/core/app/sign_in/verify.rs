//! Verification of a code.

use super::*;

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
