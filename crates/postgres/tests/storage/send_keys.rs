use inboxd_core::model::{IdempotencyClaim, IdempotencyKey, MessageId, SendResult, UsedKey};
use inboxd_core::ports::{ClaimTimes, StoreError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::*;

fn second_of(second: i64) -> OffsetDateTime {
    at(second * 1000)
}

fn key(world: &World, request: u8) -> IdempotencyKey {
    IdempotencyKey { organization_id: world.organization_id(), key: "a".to_owned(), request: [request; 32] }
}

fn claim_of(world: &World, claim_id: u128) -> IdempotencyClaim {
    let claim_id = Uuid::from_u128(claim_id);
    IdempotencyClaim { organization_id: world.organization_id(), key: "a".to_owned(), claim_id }
}

/// Claims the key at a second for a minute.
async fn claim(world: &World, request: u8, claim_id: u128, second: i64) -> Result<Option<UsedKey>, StoreError> {
    let now = second_of(second);
    let times = ClaimTimes { now, until: now + Duration::MINUTE, forgotten: now - Duration::DAY };
    let mut tx = world.begin().await;
    let used = tx.idempotency_keys().claim(&key(world, request), Uuid::from_u128(claim_id), times).await?;
    tx.commit().await?;
    Ok(used)
}

fn sent() -> SendResult {
    SendResult {
        message_id: MessageId::stored("<a@inboxd.example>".to_owned()),
        thread_id: Uuid::from_u128(7).into(),
        held: None,
    }
}

async fn keep(world: &World, claim_id: u128, second: i64) -> bool {
    let mut tx = world.begin().await;
    let kept = tx.idempotency_keys().keep(&claim_of(world, claim_id), &sent(), second_of(second)).await.unwrap();
    tx.commit().await.unwrap();
    kept
}

#[tokio::test]
async fn claimed_key_is_running_until_result_is_stored() {
    let world = world().await;
    assert_eq!(claim(&world, 1, 1, 0).await.unwrap(), None);
    assert_eq!(claim(&world, 2, 2, 1).await.unwrap(), Some(UsedKey { request: [1; 32], sent: None }));
    assert!(keep(&world, 1, 2).await);
    assert_eq!(claim(&world, 2, 2, 3).await.unwrap(), Some(UsedKey { request: [1; 32], sent: Some(sent()) }));
}

#[tokio::test]
async fn expired_claim_is_replaced_and_stores_nothing() {
    let world = world().await;
    claim(&world, 1, 1, 0).await.unwrap();
    assert!(claim(&world, 1, 2, 59).await.unwrap().is_some());
    assert_eq!(claim(&world, 1, 2, 60).await.unwrap(), None);
    assert!(!keep(&world, 1, 61).await);
    assert!(keep(&world, 2, 61).await);
}

#[tokio::test]
async fn result_is_retained_for_a_day() {
    let world = world().await;
    claim(&world, 1, 1, 0).await.unwrap();
    keep(&world, 1, 10).await;
    assert!(claim(&world, 1, 2, 10 + 86_399).await.unwrap().is_some());
    assert_eq!(claim(&world, 1, 2, 10 + 86_400).await.unwrap(), None);
}

#[tokio::test]
async fn released_claim_frees_key_and_result_stays() {
    let world = world().await;
    let release = async |claim_id: u128| {
        let mut tx = world.begin().await;
        tx.idempotency_keys().release(&claim_of(&world, claim_id)).await.unwrap();
        tx.commit().await.unwrap();
    };
    claim(&world, 1, 1, 0).await.unwrap();
    release(9).await;
    assert!(claim(&world, 1, 2, 1).await.unwrap().is_some(), "the claim belongs to another caller");
    release(1).await;
    assert_eq!(claim(&world, 1, 2, 1).await.unwrap(), None);
    keep(&world, 2, 2).await;
    release(2).await;
    assert!(claim(&world, 1, 3, 3).await.unwrap().is_some());
}

#[tokio::test]
async fn concurrent_claims_grant_one() {
    let world = world().await;
    let claims = (1..=12).map(|number| claim(&world, 1, number, 0));
    let granted = futures_util::future::join_all(claims).await;
    assert_eq!(granted.iter().filter(|claimed| matches!(claimed, Ok(None))).count(), 1, "{granted:?}");
}

#[tokio::test]
async fn uncommitted_claim_leaves_key_unchanged() {
    let world = world().await;
    claim(&world, 1, 1, 0).await.unwrap();
    let mut tx = world.begin().await;
    assert!(tx.idempotency_keys().keep(&claim_of(&world, 1), &sent(), second_of(1)).await.unwrap());
    drop(tx);
    assert_eq!(claim(&world, 1, 2, 2).await.unwrap(), Some(UsedKey { request: [1; 32], sent: None }));
}

#[tokio::test]
async fn old_keys_are_purged_in_batches() {
    let world = world().await;
    for (number, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        let key = IdempotencyKey { key: name.to_owned(), ..key(&world, 1) };
        let now = second_of(i64::try_from(number).unwrap());
        let times = ClaimTimes { now, until: now, forgotten: now - Duration::DAY };
        let mut tx = world.begin().await;
        tx.idempotency_keys().claim(&key, Uuid::from_u128(1), times).await.unwrap();
        tx.commit().await.unwrap();
    }
    for (limit, purged) in [(2, 2), (2, 1), (2, 0)] {
        let mut tx = world.begin().await;
        assert_eq!(tx.idempotency_keys().purge(second_of(2), limit).await.unwrap(), purged);
        tx.commit().await.unwrap();
    }
}
