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

async fn put(world: &World, code: &SignInCode) {
    let mut tx = begin(world).await;
    tx.sign_ins().put(code).await.unwrap();
    tx.commit().await.unwrap();
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
    put(&world, &code("Maria@example.org", 1, at(0))).await;
    let newest = SignInCode { attempts: 3, ..code("maria@example.org", 2, at(5)) };
    put(&world, &newest).await;
    let mut tx = begin(&world).await;
    assert_eq!(tx.sign_ins().lock(&address("MARIA@example.org")).await.unwrap(), Some(newest));
    tx.sign_ins().delete(&address("maria@example.org")).await.unwrap();
    assert_eq!(tx.sign_ins().lock(&address("maria@example.org")).await.unwrap(), None);
}

#[tokio::test]
async fn a_due_code_is_claimed_until_it_is_settled() {
    let world = world().await;
    let first = code("maria@example.org", 1, at(0));
    put(&world, &first).await;
    assert_eq!(claimed(&world, at(-1)).await, <[[u8; 32]; 0]>::default(), "it is not due yet");
    assert_eq!(claimed(&world, at(0)).await, [[1; 32]]);
    assert_eq!(claimed(&world, at(1)).await, <[[u8; 32]; 0]>::default(), "another has it");
    assert_eq!(claimed(&world, at(0) + LEASE).await, [[1; 32]], "the lease ran out");
    // A fresh code came in between: it is still to be mailed.
    put(&world, &code("maria@example.org", 2, at(0) + LEASE)).await;
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
    put(&world, &code("old@example.org", 1, at(0))).await;
    put(&world, &code("new@example.org", 2, at(10))).await;
    let mut tx = begin(&world).await;
    tx.sign_ins().forget_expired(at(5) + SignInCode::LIFETIME, 10).await.unwrap();
    assert_eq!(tx.sign_ins().lock(&address("old@example.org")).await.unwrap(), None);
    assert!(tx.sign_ins().lock(&address("new@example.org")).await.unwrap().is_some());
}
