//! Heartbeats, and the claims of dead processes.

use inboxd_core::model::QueuedMail;
use inboxd_core::ports::{ClaimTimes, ClockStep, DeliveryClaim, OutgoingClaim, ProcessBeat, Processes, QueueSlice};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::outgoing::{claim_as, enqueue, of_message, wanted};
use crate::support::*;

const DEAD: Uuid = Uuid::from_u128(0xdead);
const ALIVE: Uuid = Uuid::from_u128(0xa11e);

/// Returns a claim id of a process.
fn claim_of(process: Uuid, number: u128) -> Uuid {
    Uuid::from_u128(number << 64 | process.as_u128())
}

#[tokio::test]
async fn heartbeat_counts_and_returns_all_processes_as_they_were() {
    let world = world().await;
    assert_eq!(world.store.record_heartbeat(DEAD, at(1)).await.unwrap(), []);
    assert_eq!(world.store.record_heartbeat(DEAD, at(2)).await.unwrap().len(), 1);
    let beats = world.store.record_heartbeat(ALIVE, at(3)).await.unwrap();
    assert_eq!(beats, [ProcessBeat { process_id: DEAD, beats: 2, seen_at: at(2) }]);
    world.store.forget_processes(&[DEAD]).await.unwrap();
    let beats = world.store.record_heartbeat(ALIVE, at(4)).await.unwrap();
    assert_eq!(beats, [ProcessBeat { process_id: ALIVE, beats: 1, seen_at: at(3) }]);
}

#[tokio::test]
async fn mail_of_dead_process_is_found_by_its_claims() {
    let world = world().await;
    enqueue(&world, &[of_message(&world, 1), of_message(&world, 2)]).await;
    for (number, process) in [(1, DEAD), (2, ALIVE)] {
        let claim = inboxd_core::ports::OutgoingClaim {
            claim_id: claim_of(process, number),
            until: at(100) + Duration::MINUTE,
            ..wanted(100, 1)
        };
        assert_eq!(claim_as(&world, &claim).await.len(), 1);
    }
    let claimed = world.store.mail_claimed_by(&[DEAD], at(200), at(200) + Duration::HOUR).await.unwrap();
    let ids: Vec<Uuid> = claimed.iter().map(|claim| claim.claim_id).collect();
    assert_eq!(ids, [claim_of(DEAD, 1)]);
    let later = at(200) + Duration::HOUR;
    assert_eq!(
        world.store.mail_claimed_by(&[DEAD], later, later + Duration::HOUR).await.unwrap(),
        [],
        "it has expired"
    );
}

/// Queues a delivery for each of two webhooks, and claims both and a key, each for either process.
async fn claim_all(world: &World, until: OffsetDateTime) {
    let organization = world.organization_id().0;
    for (number, process) in [(1_u128, DEAD), (2, ALIVE)] {
        let webhook = crate::deliveries::add_webhook(world, number).await;
        crate::deliveries::queue(world, webhook, [u32::try_from(number).unwrap()]).await;
        let claim = DeliveryClaim { claim_id: claim_of(process, number), until, ..crate::deliveries::claim_of(100, 1) };
        assert_eq!(crate::deliveries::claim(world, claim).await.len(), 1);
        let key = inboxd_core::model::IdempotencyKey {
            organization_id: organization.into(),
            key: format!("key {number}"),
            request: [7; 32],
        };
        let mut tx = world.begin().await;
        let times = ClaimTimes { now: at(100), until, forgotten: at(0) };
        assert_eq!(tx.idempotency_keys().claim(&key, claim_of(process, number), times).await.unwrap(), None);
        tx.commit().await.unwrap();
    }
}

/// Returns the number of deliveries and keys that can be claimed.
async fn free(world: &World, now: OffsetDateTime) -> (usize, usize) {
    let claim = DeliveryClaim { now, until: now + Duration::MINUTE, ..crate::deliveries::claim_of(100, 10) };
    let deliveries = crate::deliveries::claim(world, claim).await.len();
    let mut keys = 0;
    for number in 1..=2 {
        let key = inboxd_core::model::IdempotencyKey {
            organization_id: world.organization_id(),
            key: format!("key {number}"),
            request: [7; 32],
        };
        let times = ClaimTimes { now, until: now + Duration::MINUTE, forgotten: at(0) };
        let mut tx = world.begin().await;
        keys += usize::from(tx.idempotency_keys().claim(&key, Uuid::from_u128(1), times).await.unwrap().is_none());
        tx.commit().await.unwrap();
    }
    (deliveries, keys)
}

#[tokio::test]
async fn only_claims_of_dead_process_are_released() {
    let world = world().await;
    claim_all(&world, at(100) + Duration::MINUTE).await;
    assert_eq!(world.store.release_claims(&[DEAD], at(200)).await, Ok(2));
    assert_eq!(free(&world, at(201)).await, (1, 1));
    assert_eq!(world.store.release_claims(&[DEAD], at(202)).await, Ok(0));
}

#[tokio::test]
async fn deferred_mail_is_not_claimed() {
    let world = world().await;
    enqueue(&world, &[of_message(&world, 1), of_message(&world, 2)]).await;
    let claim = OutgoingClaim { claim_id: claim_of(DEAD, 1), until: at(100) + Duration::MINUTE, ..wanted(100, 2) };
    let claimed = claim_as(&world, &claim).await;
    let mut tx = world.begin().await;
    let later = QueuedMail { due_at: at(200) + Duration::MINUTE, ..claimed[0].clone() };
    assert!(tx.outgoing().defer(&later, "busy").await.unwrap());
    assert!(!tx.outgoing().defer(&later, "busy").await.unwrap(), "the claim has ended");
    // A merely postponed message is still claimed.
    for _ in 0..2 {
        assert!(tx.outgoing().postpone((&claimed[1]).into(), at(300) + Duration::MINUTE).await.unwrap());
    }
    tx.commit().await.unwrap();
    let found = world.store.mail_claimed_by(&[DEAD], at(200), at(200) + Duration::HOUR).await.unwrap();
    assert_eq!(found, [(&claimed[1]).into()]);
}

/// Reads a clock that was set back by an hour and now shows `at(200)`.
async fn follow_clock(world: &World) -> u64 {
    let step = ClockStep {
        by: Duration::HOUR,
        now: at(200),
        message_lease_end: at(200) + Duration::minutes(15),
        lease_end: at(200) + Duration::MINUTE,
    };
    world.store.bring_forward_due_times(step).await.unwrap()
}

/// Claims messages and returns their number.
async fn claimed(world: &World, now: OffsetDateTime, until: OffsetDateTime) -> usize {
    claim_as(world, &OutgoingClaim { now, until, ..wanted(100, 10) }).await.len()
}

#[tokio::test]
async fn due_times_follow_clock_that_is_set_back() {
    let world = world().await;
    claim_all(&world, at(0) + Duration::HOUR + Duration::minutes(2)).await;
    let late = Duration::hours(2);
    let mail = QueuedMail { due_at: at(0) + late, ..of_message(&world, 1) };
    enqueue(&world, &[mail, of_message(&world, 2)]).await;
    // Two deliveries, two keys and one message are in the future; the other message is due.
    assert_eq!(follow_clock(&world).await, 5);
    let claims_end = at(0) + Duration::minutes(2);
    assert_eq!(free(&world, claims_end - Duration::SECOND).await, (0, 0));
    assert_eq!(free(&world, claims_end).await, (2, 2));
    assert_eq!(claimed(&world, at(200), at(0) + late).await, 1);
    assert_eq!(claimed(&world, at(0) + Duration::HOUR, at(0) + late).await, 1);
}

#[tokio::test]
async fn valid_leases_outlast_clock_adjustment() {
    let world = world().await;
    claim_all(&world, at(200) + Duration::HOUR + Duration::MINUTE).await;
    enqueue(&world, &[of_message(&world, 1), of_message(&world, 2)]).await;
    let lease = Duration::minutes(15);
    let one = |until| OutgoingClaim { until, ..wanted(100, 1) };
    // One message was claimed before the step, one after it.
    assert_eq!(claim_as(&world, &one(at(100) + Duration::HOUR + lease)).await.len(), 1);
    assert_eq!(claim_as(&world, &one(at(100) + lease)).await.len(), 1);
    assert_eq!(follow_clock(&world).await, 5);
    let lease_end = at(200) + Duration::MINUTE;
    for _ in 0..2 {
        assert_eq!(follow_clock(&world).await, 0);
        assert_eq!(free(&world, lease_end - Duration::SECOND).await, (0, 0));
        assert_eq!(claimed(&world, at(99) + lease, at(0)).await, 0);
    }
    assert_eq!(free(&world, lease_end).await, (2, 2));
    assert_eq!(claimed(&world, at(200) + lease, at(300) + lease).await, 2);
}

#[tokio::test]
async fn held_mail_follows_clock_that_is_set_back_and_stays_held() {
    let world = world().await;
    let mail = QueuedMail { due_at: at(0) + Duration::hours(2), ..of_message(&world, 1) };
    enqueue(&world, &[mail]).await;
    let queue = QueueSlice { organization_id: world.organization_id(), inbox_id: None, after: None, limit: 10 };
    let mut tx = world.begin().await;
    assert_eq!(tx.outgoing().suspend(&queue).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(follow_clock(&world).await, 1);
    let due = at(0) + Duration::HOUR;
    assert_eq!(claimed(&world, due + Duration::WEEK, due).await, 0);
    let mut tx = world.begin().await;
    assert_eq!(tx.outgoing().resume(&queue).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(claimed(&world, due - Duration::SECOND, due).await, 0);
    assert_eq!(claimed(&world, due, due + Duration::HOUR).await, 1);
}
