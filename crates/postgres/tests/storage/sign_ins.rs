use inboxd_core::model::SignInCode;
use inboxd_core::ports::{Store, Tx};
use time::{Duration, OffsetDateTime};

use crate::support::*;

const LEASE: Duration = Duration::seconds(60);

fn code(email: &str, nonce: u8, now: OffsetDateTime) -> SignInCode {
    SignInCode::fresh(address(email), [nonce; 32], now)
}

async fn begin(world: &World) -> Box<dyn Tx> {
    world.store.begin().await.unwrap()
}

/// Requests a code that is created at this time.
async fn ask(world: &World, code: &SignInCode) {
    let mut tx = begin(world).await;
    tx.sign_ins().ask(code, code.expires_at - SignInCode::LIFETIME).await.unwrap();
    tx.commit().await.unwrap();
}

async fn nonce(world: &World, email: &str) -> Option<u8> {
    let mut tx = begin(world).await;
    tx.sign_ins().lock(&address(email)).await.unwrap().map(|code| code.nonce[0])
}

async fn claimed(world: &World, now: OffsetDateTime) -> Vec<[u8; 32]> {
    let mut tx = begin(world).await;
    let codes = tx.sign_ins().claim(now, LEASE, 10).await.unwrap();
    tx.commit().await.unwrap();
    codes.into_iter().map(|code| code.nonce).collect()
}

#[tokio::test]
async fn address_has_only_newest_code() {
    let world = world().await;
    ask(&world, &code("Maria@example.org", 1, at(0))).await;
    let newest = code("maria@example.org", 2, at(5));
    ask(&world, &newest).await;
    let mut tx = begin(&world).await;
    assert_eq!(tx.sign_ins().lock(&address("MARIA@example.org")).await.unwrap(), Some(newest.clone()));
    let tried = SignInCode { attempts: 3, ..newest };
    tx.sign_ins().tried(&tried).await.unwrap();
    assert_eq!(tx.sign_ins().lock(&address("maria@example.org")).await.unwrap(), Some(tried));
    tx.sign_ins().end(&address("maria@example.org"), at(6)).await.unwrap();
    let ended = tx.sign_ins().lock(&address("maria@example.org")).await.unwrap().unwrap();
    assert_eq!((ended.is_expired(at(6)), ended.mail_due_at), (true, None));
}

#[tokio::test]
async fn codes_of_address_are_limited_hourly_and_last_one_stays() {
    let world = world().await;
    for number in 1..=30 {
        ask(&world, &code("maria@example.org", number, at(i64::from(number)))).await;
    }
    let most = u8::try_from(SignInCode::MAX_CODES).unwrap();
    assert_eq!(nonce(&world, "maria@example.org").await, Some(most));
    ask(&world, &code("anna@example.org", 1, at(31))).await;
    assert_eq!(nonce(&world, "anna@example.org").await, Some(1), "every address has a separate limit");
    // The use of a code starts no new period, and neither does its expiry.
    let mut tx = begin(&world).await;
    tx.sign_ins().end(&address("maria@example.org"), at(40)).await.unwrap();
    tx.sign_ins().forget_expired(at(0) + SignInCode::PERIOD, 10).await.unwrap();
    tx.commit().await.unwrap();
    ask(&world, &code("maria@example.org", 90, at(50))).await;
    assert_eq!(nonce(&world, "maria@example.org").await, Some(most));
    for number in [91, 92] {
        ask(&world, &code("maria@example.org", number, at(1) + SignInCode::PERIOD)).await;
        assert_eq!(
            nonce(&world, "maria@example.org").await,
            Some(number),
            "an hour after the first, a new period starts"
        );
    }
}

#[tokio::test]
async fn unusable_code_is_replaced_every_five_minutes_beyond_limit() {
    let world = world().await;
    let last = at(i64::from(SignInCode::MAX_CODES));
    for number in 1..=u8::try_from(SignInCode::MAX_CODES).unwrap() {
        ask(&world, &code("maria@example.org", number, at(number.into()))).await;
    }
    // The code is still valid.
    ask(&world, &code("maria@example.org", 100, last + SignInCode::PACE)).await;
    assert_eq!(nonce(&world, "maria@example.org").await, Some(20));
    let spend = async || {
        let mut tx = begin(&world).await;
        let code = tx.sign_ins().lock(&address("maria@example.org")).await.unwrap().unwrap();
        tx.sign_ins().tried(&SignInCode { attempts: SignInCode::MAX_ATTEMPTS, ..code }).await.unwrap();
        tx.commit().await.unwrap();
    };
    spend().await;
    let asked = async |number, at| {
        ask(&world, &code("maria@example.org", number, at)).await;
        nonce(&world, "maria@example.org").await == Some(number)
    };
    assert!(!asked(101, last + SignInCode::PACE - Duration::MILLISECOND).await);
    assert!(asked(102, last + SignInCode::PACE).await);
    spend().await;
    assert!(!asked(103, last + SignInCode::PACE * 2 - Duration::MILLISECOND).await, "it is the last one that counts");
    assert!(asked(104, last + SignInCode::PACE * 2).await);
    // A used or expired code is replaced too.
    let mut tx = begin(&world).await;
    tx.sign_ins().end(&address("maria@example.org"), last + SignInCode::PACE * 2).await.unwrap();
    tx.commit().await.unwrap();
    assert!(asked(105, last + SignInCode::PACE * 3).await);
}

#[tokio::test]
async fn wrong_codes_count_for_address_across_codes() {
    let world = world().await;
    let maria = address("maria@example.org");
    ask(&world, &code("maria@example.org", 1, at(0))).await;
    let mut tx = begin(&world).await;
    let tried = tx.sign_ins().lock(&maria).await.unwrap().unwrap().tried(at(1));
    tx.sign_ins().tried(&tried).await.unwrap();
    tx.sign_ins().end(&maria, at(2)).await.unwrap();
    tx.commit().await.unwrap();
    ask(&world, &code("maria@example.org", 2, at(3))).await;
    let mut tx = begin(&world).await;
    let fresh = tx.sign_ins().lock(&maria).await.unwrap().unwrap();
    let guesses_until = Some(at(1) + SignInCode::GUESS_PACE);
    assert_eq!(fresh, SignInCode { guesses_until, ..code("maria@example.org", 2, at(3)) });
    // The address is purged only after its wrong codes have expired.
    let far = SignInCode { guesses_until: Some(at(0) + SignInCode::PERIOD * 9), ..fresh };
    tx.sign_ins().tried(&far).await.unwrap();
    tx.sign_ins().forget_expired(at(-1) + SignInCode::PERIOD * 10, 10).await.unwrap();
    assert_eq!(tx.sign_ins().lock(&maria).await.unwrap(), Some(far));
    tx.sign_ins().forget_expired(at(0) + SignInCode::PERIOD * 10, 10).await.unwrap();
    assert_eq!(tx.sign_ins().lock(&maria).await.unwrap(), None);
}

#[tokio::test]
async fn unreadable_row_does_not_block_other_codes_and_is_purged() {
    let world = world().await;
    ask(&world, &code("maria@example.org", 1, at(1))).await;
    ask(&world, &code("broken@example.org", 2, at(0))).await;
    world.database.execute("UPDATE sign_in_codes SET email = 'none' WHERE email = 'broken@example.org'").await;
    assert_eq!(claimed(&world, at(1)).await, [[1; 32]]);
    let mut tx = begin(&world).await;
    tx.sign_ins().forget_expired(at(0) + SignInCode::LIFETIME + SignInCode::PERIOD, 10).await.unwrap();
    tx.commit().await.unwrap();
    let left = "DO $$ BEGIN ASSERT (SELECT array_agg(email) = '{maria@example.org}' FROM sign_in_codes); END $$";
    world.database.execute(left).await;
}

#[tokio::test]
async fn due_code_is_claimed_until_recorded() {
    let world = world().await;
    let first = code("maria@example.org", 1, at(0));
    ask(&world, &first).await;
    assert_eq!(claimed(&world, at(-1)).await, <[[u8; 32]; 0]>::default(), "it is not due yet");
    assert_eq!(claimed(&world, at(0)).await, [[1; 32]]);
    assert_eq!(claimed(&world, at(1)).await, <[[u8; 32]; 0]>::default(), "another worker has it");
    assert_eq!(claimed(&world, at(0) + LEASE).await, [[1; 32]], "the lease has expired");
    // A newer code was created in between and is still due.
    ask(&world, &code("maria@example.org", 2, at(0) + LEASE)).await;
    let mut tx = begin(&world).await;
    tx.sign_ins().settle(std::slice::from_ref(&first)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claimed(&world, at(0) + LEASE).await, [[2; 32]]);
    let mut tx = begin(&world).await;
    tx.sign_ins().settle(&[code("maria@example.org", 2, at(0))]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claimed(&world, at(0) + LEASE * 3).await, <[[u8; 32]; 0]>::default());
}

#[tokio::test]
async fn expired_codes_are_purged() {
    let world = world().await;
    ask(&world, &code("old@example.org", 1, at(0))).await;
    ask(&world, &code("new@example.org", 2, at(10))).await;
    let mut tx = begin(&world).await;
    assert_eq!(tx.sign_ins().forget_expired(at(5) + SignInCode::PERIOD, 10).await.unwrap(), 0);
    assert!(tx.sign_ins().lock(&address("old@example.org")).await.unwrap().is_some(), "it still counts");
    let over = at(5) + SignInCode::PERIOD + SignInCode::LIFETIME;
    assert_eq!(tx.sign_ins().forget_expired(over, 10).await.unwrap(), 1);
    assert_eq!(tx.sign_ins().lock(&address("old@example.org")).await.unwrap(), None);
    assert!(tx.sign_ins().lock(&address("new@example.org")).await.unwrap().is_some());
}
