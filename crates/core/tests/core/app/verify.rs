use inboxd_core::Error;
use inboxd_core::app::account::verify;
use inboxd_core::model::{Caller, Inbox, Organization, Page, VerificationCode};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, Happened, World};
use time::Duration;

use super::{locks, paths};

fn caller() -> Caller {
    Caller { organization: fixtures::unverified(), ..fixtures::caller() }
}

/// The code 123456, made an hour ago.
fn code() -> VerificationCode {
    VerificationCode {
        organization_id: id(1),
        code_hash: SigningKey::new([7; 32]).code_hash(id(1), "123456"),
        expires_at: NOW + Duration::hours(23),
        attempts: 0,
    }
}

/// A world in which there is an inbox on the sign-up domain and one on the service's.
fn with_inboxes() -> World {
    let mut world = World::default();
    world.store.expect_list_inboxes().once().returning(|_| {
        let on_signup = Inbox { inbox_id: inbox_id("scout@signup.inboxd.example"), ..fixtures::inbox() };
        Ok(Page { items: vec![on_signup, fixtures::inbox()], next: None })
    });
    world
}

/// A world in which the unverified organization has this code.
fn world(code: Option<VerificationCode>) -> World {
    let mut world = with_inboxes();
    let tx = world.unit_of_work();
    locks(tx, fixtures::unverified());
    tx.accounts.expect_lock_code().once().return_once(move |_| Ok(code));
    world
}

fn expect_put_code(world: &mut World) -> Captured<VerificationCode> {
    let put = Captured::default();
    let seen = put.clone();
    world.last_unit_of_work().accounts.expect_put_code().once().returning(move |code| {
        seen.push(code.clone());
        Ok(())
    });
    put
}

#[tokio::test]
async fn the_right_code_verifies_and_is_used_up() {
    let mut world = world(Some(code()));
    let updated = Captured::<Organization>::default();
    let seen = updated.clone();
    let tx = world.last_unit_of_work();
    tx.accounts.expect_update().once().returning(move |organization| {
        seen.push(organization.clone());
        Ok(())
    });
    tx.accounts.expect_delete_code().once().returning(|_| Ok(()));
    let journal = world.journal.clone();
    let verified = verify(&world.app(), &caller(), " 123456 ").await.unwrap();
    assert_eq!(verified.inbox_domain, "inboxd.example");
    assert_eq!(verified.inboxes_on_signup_domain, [inbox_id("scout@signup.inboxd.example")]);
    assert_eq!(updated.only().verified_at, Some(NOW));
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn a_code_is_not_used_up_by_a_call_that_fails() {
    let mut world = World::default();
    world.store.expect_list_inboxes().once().returning(|_| Err(StoreError::Unavailable("gone".to_owned())));
    let failed = verify(&world.app(), &caller(), "123456").await;
    assert!(matches!(failed, Err(Error::Store(_))), "no unit of work was begun");
}

#[tokio::test]
async fn a_wrong_code_counts() {
    for (attempts, attempts_left) in [(0, 9), (8, 1), (9, 0)] {
        let mut world = world(Some(VerificationCode { attempts, ..code() }));
        let put = expect_put_code(&mut world);
        let journal = world.journal.clone();
        let refused = verify(&world.app(), &caller(), "123457").await;
        assert!(matches!(refused, Err(Error::WrongCode { attempts_left: left }) if left == attempts_left));
        assert_eq!(put.only(), VerificationCode { attempts: attempts + 1, ..code() });
        assert_eq!(journal.entries(), [Happened::Committed]);
    }
}

#[tokio::test]
async fn after_ten_wrong_codes_even_the_right_one_is_refused() {
    let world = world(Some(VerificationCode { attempts: 10, ..code() }));
    let journal = world.journal.clone();
    let refused = verify(&world.app(), &caller(), "123456").await;
    assert!(matches!(refused, Err(Error::CodeAttemptsExceeded { until }) if until == code().expires_at));
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn a_code_that_ran_out_is_replaced_and_mailed() {
    let ran_out = VerificationCode { expires_at: NOW, attempts: 10, ..code() };
    for old in [Some(ran_out), None] {
        let mut world = world(old);
        let put = expect_put_code(&mut world);
        world.last_unit_of_work().outgoing.expect_enqueue().once().returning(|mails| {
            assert_eq!(mails[0].recipients, [fixtures::address("owner@example.org")]);
            Ok(())
        });
        let journal = world.journal.clone();
        assert!(matches!(verify(&world.app(), &caller(), "123456").await, Err(Error::CodeExpired)));
        let fresh = put.only();
        assert_eq!((fresh.expires_at, fresh.attempts), (NOW + Duration::hours(24), 0));
        assert_ne!(fresh.code_hash, code().code_hash);
        assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
    }
}

#[tokio::test]
async fn a_verified_organization_is_told_so() {
    let mut world = with_inboxes();
    locks(world.unit_of_work(), fixtures::organization());
    assert!(matches!(verify(&world.app(), &caller(), "123456").await, Err(Error::AlreadyVerified)));
}

#[tokio::test]
async fn what_cannot_be_a_code_is_refused_without_being_counted() {
    for text in ["", "12345", "1234567", "12345a", "１２３４５６", "12 456"] {
        let refused = verify(&World::default().app(), &caller(), text).await.unwrap_err();
        assert_eq!(paths(refused), ["otp_code"], "{text}");
    }
}
