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

/// Asks for a code at the time at which it is made.
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
async fn an_address_has_one_code_the_newest() {
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
async fn an_address_is_asked_for_so_many_codes_an_hour_and_keeps_the_last() {
    let world = world().await;
    for number in 1..=30 {
        ask(&world, &code("maria@example.org", number, at(i64::from(number)))).await;
    }
    let most = u8::try_from(SignInCode::MOST).unwrap();
    assert_eq!(nonce(&world, "maria@example.org").await, Some(most));
    ask(&world, &code("anna@example.org", 1, at(31))).await;
    assert_eq!(nonce(&world, "anna@example.org").await, Some(1), "every address has its own");
    // A code that was used does not begin a new period, nor does its end.
    let mut tx = begin(&world).await;
    tx.sign_ins().end(&address("maria@example.org"), at(40)).await.unwrap();
    tx.sign_ins().forget_expired(at(0) + SignInCode::PERIOD, 10).await.unwrap();
    tx.commit().await.unwrap();
    ask(&world, &code("maria@example.org", 90, at(0) + SignInCode::PERIOD)).await;
    assert_eq!(nonce(&world, "maria@example.org").await, Some(most));
    ask(&world, &code("maria@example.org", 91, at(1) + SignInCode::PERIOD)).await;
    assert_eq!(nonce(&world, "maria@example.org").await, Some(91), "an hour after the first, it begins anew");
}

#[tokio::test]
async fn a_due_code_is_claimed_until_it_is_settled() {
    let world = world().await;
    let first = code("maria@example.org", 1, at(0));
    ask(&world, &first).await;
    assert_eq!(claimed(&world, at(-1)).await, <[[u8; 32]; 0]>::default(), "it is not due yet");
    assert_eq!(claimed(&world, at(0)).await, [[1; 32]]);
    assert_eq!(claimed(&world, at(1)).await, <[[u8; 32]; 0]>::default(), "another has it");
    assert_eq!(claimed(&world, at(0) + LEASE).await, [[1; 32]], "the lease ran out");
    // A fresh code came in between: it is still to be mailed.
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
async fn codes_that_ran_out_are_forgotten() {
    let world = world().await;
    ask(&world, &code("old@example.org", 1, at(0))).await;
    ask(&world, &code("new@example.org", 2, at(10))).await;
    let mut tx = begin(&world).await;
    tx.sign_ins().forget_expired(at(5) + SignInCode::LIFETIME, 10).await.unwrap();
    assert!(tx.sign_ins().lock(&address("old@example.org")).await.unwrap().is_some(), "it still counts");
    tx.sign_ins().forget_expired(at(5) + SignInCode::PERIOD, 10).await.unwrap();
    assert_eq!(tx.sign_ins().lock(&address("old@example.org")).await.unwrap(), None);
    assert!(tx.sign_ins().lock(&address("new@example.org")).await.unwrap().is_some());
}
