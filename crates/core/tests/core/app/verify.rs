use inboxd_core::app::account::{Confirmation, verify};
use inboxd_core::model::{ApiKey, Caller, Connection, Inbox, Member, Organization, Page, Role, VerificationCode};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::oauth::{bounds, scopes};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use inboxd_core::testing::{Captured, Happened, World};
use inboxd_core::{CodeRefusal, Error};
use time::Duration;

use super::{locks, paths};

fn caller() -> Caller {
    Caller { organization: fixtures::unverified(), ..fixtures::caller() }
}

/// The code 123456, an hour old.
fn code() -> VerificationCode {
    VerificationCode {
        organization_id: id(1),
        code_hash: SigningKey::new([7; 32]).code_hash(id(1), "123456"),
        expires_at: NOW + Duration::hours(23),
        attempts: 0,
        sign_up_network: Some("198.51.100.0/24".to_owned()),
    }
}

fn confirmation(otp_code: &str) -> Confirmation {
    Confirmation { otp_code: otp_code.to_owned(), ..Confirmation::default() }
}

/// A key of a person who signed in as the owner.
fn owner() -> Caller {
    let member = Member { role: Role::Owner, ..fixtures::member() };
    Caller { organization: fixtures::unverified(), api_key_id: Some(id(50)), ..fixtures::calling(&member) }
}

/// An OAuth client with a token of the owner.
fn connected() -> Caller {
    let permissions = scopes::parse(Some("admin")).unwrap();
    bounds::bounded(owner(), &Connection { permissions, ..fixtures::connection() }).unwrap()
}

/// An environment with the keys 3 and 50, a webhook, and this valid code.
fn world_to_take_over(code: VerificationCode) -> World {
    let mut world = world(Some(code));
    let tx = world.last_unit_of_work();
    tx.accounts.expect_update().once().returning(|_| Ok(()));
    tx.accounts.expect_delete_code().once().returning(|_| Ok(()));
    let own = ApiKey { api_key_id: id(50), ..fixtures::api_key() };
    tx.api_keys.expect_all().once().return_once(|_| Ok(vec![fixtures::api_key(), own]));
    tx.webhooks.expect_all().once().returning(|_| Ok(vec![fixtures::webhook()]));
    world
}

#[tokio::test]
async fn verification_with_sign_in_key_revokes_earlier_keys_and_webhooks() {
    let mut world = world_to_take_over(code());
    let tx = world.last_unit_of_work();
    tx.api_keys.expect_revoke().once().returning(|_, api_key_id, _| {
        assert_eq!(api_key_id, id(3));
        Ok(true)
    });
    tx.threads.expect_unassign().once().returning(|_, _, _, _| Ok(()));
    tx.webhooks.expect_delete().once().returning(|_, _| Ok(true));
    tx.polling.expect_delete_all().once().returning(|_| Ok(Vec::new()));
    tx.calendar.expect_close_feeds().once().returning(|_| Ok(()));
    let existing = verify(&world.app(), &owner(), &confirmation("123456")).await.unwrap().existing;
    assert!(existing.is_revoked);
    assert_eq!((existing.api_keys, existing.webhooks), (vec![fixtures::api_key()], vec![fixtures::webhook()]));
}

#[tokio::test]
async fn verification_with_sign_up_key_or_retain_option_revokes_nothing() {
    let keeping = Confirmation { keep_existing_keys: true, ..confirmation("123456") };
    for (caller, confirmation, expected) in [(owner(), keeping, 3), (caller(), confirmation("123456"), 50)] {
        let existing = verify(&world_to_take_over(code()).app(), &caller, &confirmation).await.unwrap().existing;
        assert!(!existing.is_revoked);
        assert_eq!(existing.api_keys.iter().map(|key| key.api_key_id).collect::<Vec<_>>(), [id(expected)]);
        assert_eq!(existing.webhooks, [fixtures::webhook()]);
    }
}

#[tokio::test]
async fn exhausted_attempts_of_other_key_do_not_block_person() {
    let world = world_to_take_over(VerificationCode { attempts: 10, ..code() });
    let keeping = Confirmation { keep_existing_keys: true, ..confirmation("123456") };
    assert!(verify(&world.app(), &owner(), &keeping).await.is_ok());
}

/// An environment with an inbox on the sign-up domain and one on the service domain.
fn with_inboxes() -> World {
    let mut world = World::default();
    world.store.expect_list_inboxes().once().returning(|_| {
        let on_signup = Inbox { inbox_id: inbox_id("scout@signup.inboxd.example"), ..fixtures::inbox() };
        Ok(Page { items: vec![on_signup, fixtures::inbox()], next: None })
    });
    world
}

/// An environment whose unverified organization has this code.
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
async fn right_code_verifies_once() {
    let mut world = world(Some(code()));
    let updated = Captured::<Organization>::default();
    let seen = updated.clone();
    let tx = world.last_unit_of_work();
    tx.accounts.expect_update().once().returning(move |organization| {
        seen.push(organization.clone());
        Ok(())
    });
    tx.accounts.expect_delete_code().once().returning(|_| Ok(()));
    tx.api_keys.expect_all().once().returning(|_| Ok(Vec::new()));
    tx.webhooks.expect_all().once().returning(|_| Ok(Vec::new()));
    let journal = world.journal.clone();
    let verified = verify(&world.app(), &caller(), &confirmation(" 123456 ")).await.unwrap();
    assert_eq!(verified.inbox_domain, "inboxd.example");
    assert_eq!(verified.inboxes_on_signup_domain, [inbox_id("scout@signup.inboxd.example")]);
    assert_eq!(updated.only().verified_at, Some(NOW));
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn failed_call_does_not_use_code() {
    let mut world = World::default();
    world.store.expect_list_inboxes().once().returning(|_| Err(StoreError::Unavailable("gone".to_owned())));
    let failed = verify(&world.app(), &caller(), &confirmation("123456")).await;
    assert!(matches!(failed, Err(Error::Store(_))), "no unit of work began");
}

#[tokio::test]
async fn wrong_code_counts_as_attempt() {
    for (attempts, attempts_left) in [(0, 9), (8, 1), (9, 0)] {
        let mut world = world(Some(VerificationCode { attempts, ..code() }));
        let put = expect_put_code(&mut world);
        let journal = world.journal.clone();
        let refused = verify(&world.app(), &caller(), &confirmation("123457")).await;
        assert!(
            matches!(refused, Err(Error::Code(CodeRefusal::Wrong { attempts_left: left })) if left == attempts_left)
        );
        assert_eq!(put.only(), VerificationCode { attempts: attempts + 1, ..code() });
        assert_eq!(journal.entries(), [Happened::Committed]);
    }
}

#[tokio::test]
async fn right_code_is_refused_after_ten_wrong_ones() {
    for caller in [caller(), connected()] {
        let world = world(Some(VerificationCode { attempts: 10, ..code() }));
        let journal = world.journal.clone();
        let refused = verify(&world.app(), &caller, &confirmation("123456")).await;
        assert!(
            matches!(refused, Err(Error::Code(CodeRefusal::AttemptsExceeded { until })) if until == code().expires_at)
        );
        assert_eq!(journal.entries(), []);
    }
}

#[tokio::test]
async fn expired_code_is_replaced_and_mailed() {
    let ran_out = VerificationCode { expires_at: NOW, attempts: 10, ..code() };
    for old in [Some(ran_out), None] {
        let mut world = world(old);
        let put = expect_put_code(&mut world);
        world.last_unit_of_work().outgoing.expect_enqueue().once().returning(|mails| {
            assert_eq!(mails[0].recipients, [fixtures::address("owner@example.org")]);
            Ok(())
        });
        let journal = world.journal.clone();
        assert!(matches!(
            verify(&world.app(), &caller(), &confirmation("123456")).await,
            Err(Error::Code(CodeRefusal::Expired))
        ));
        let fresh = put.only();
        assert_eq!((fresh.expires_at, fresh.attempts), (NOW + Duration::hours(24), 0));
        assert_ne!(fresh.code_hash, code().code_hash);
        assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
    }
}

#[tokio::test]
async fn verified_organization_cannot_verify_again() {
    let mut world = with_inboxes();
    locks(world.unit_of_work(), fixtures::organization());
    assert!(matches!(verify(&world.app(), &caller(), &confirmation("123456")).await, Err(Error::AlreadyVerified)));
}

#[tokio::test]
async fn malformed_code_is_refused_without_counting() {
    for text in ["", "12345", "1234567", "12345a", "１２３４５６", "12 456"] {
        let refused = verify(&World::default().app(), &caller(), &confirmation(text)).await.unwrap_err();
        assert_eq!(paths(refused), ["otp_code"], "{text}");
    }
}
