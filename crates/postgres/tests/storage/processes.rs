//! Heartbeats, and the claims of processes that died.

use inboxd_core::ports::{ClaimTimes, DeliveryClaim, ProcessBeat, Processes};
use time::Duration;
use uuid::Uuid;

use crate::outgoing::{claim_as, enqueue, of_message, wanted};
use crate::support::*;

const DEAD: Uuid = Uuid::from_u128(0xdead);
const ALIVE: Uuid = Uuid::from_u128(0xa11e);

/// An id of a claim of a process.
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
        "it has run out"
    );
}

/// Queues a delivery for each of two webhooks, claims both and a key, each time one for either process.
async fn claim_all(world: &World) {
    let organization = world.organization_id().0;
    for (number, process) in [(1_u128, DEAD), (2, ALIVE)] {
        let webhook = crate::deliveries::add_webhook(world, number).await;
        crate::deliveries::queue(world, webhook, [u32::try_from(number).unwrap()]).await;
        let claim = DeliveryClaim {
            claim_id: claim_of(process, number),
            until: at(100) + Duration::MINUTE,
            ..crate::deliveries::claim_of(100, 1)
        };
        assert_eq!(crate::deliveries::claim(world, claim).await.len(), 1);
        let key = inboxd_core::model::SendKey {
            organization_id: organization.into(),
            key: format!("key {number}"),
            request: [7; 32],
        };
        let mut tx = world.begin().await;
        let times = ClaimTimes { now: at(100), until: at(100) + Duration::MINUTE, forgotten: at(0) };
        assert_eq!(tx.send_keys().claim(&key, claim_of(process, number), times).await.unwrap(), None);
        tx.commit().await.unwrap();
    }
}

/// How many deliveries and keys can be claimed at a time.
async fn free(world: &World, now: time::OffsetDateTime) -> (usize, usize) {
    let claim = DeliveryClaim { now, until: now + Duration::MINUTE, ..crate::deliveries::claim_of(100, 10) };
    let deliveries = crate::deliveries::claim(world, claim).await.len();
    let mut keys = 0;
    for number in 1..=2 {
        let key = inboxd_core::model::SendKey {
            organization_id: world.organization_id(),
            key: format!("key {number}"),
            request: [7; 32],
        };
        let times = ClaimTimes { now, until: now + Duration::MINUTE, forgotten: at(0) };
        let mut tx = world.begin().await;
        keys += usize::from(tx.send_keys().claim(&key, Uuid::from_u128(1), times).await.unwrap().is_none());
        tx.commit().await.unwrap();
    }
    (deliveries, keys)
}

#[tokio::test]
async fn claims_of_dead_process_alone_are_released() {
    let world = world().await;
    claim_all(&world).await;
    assert_eq!(world.store.release_claims(&[DEAD], at(200)).await, Ok(2));
    assert_eq!(free(&world, at(201)).await, (1, 1));
    assert_eq!(world.store.release_claims(&[DEAD], at(202)).await, Ok(0));
}

#[tokio::test]
async fn due_times_follow_a_clock_that_is_set_back() {
    let world = world().await;
    claim_all(&world).await;
    let late = Duration::hours(2);
    let mail = inboxd_core::model::Outgoing { due_at: at(0) + late, ..of_message(&world, 1) };
    enqueue(&world, &[mail, of_message(&world, 2)]).await;
    // Two deliveries, two keys and one mail lie in the future; the other is due.
    assert_eq!(world.store.bring_forward_due_times(Duration::HOUR, at(200)).await, Ok(5));
    assert_eq!(free(&world, at(200)).await, (2, 2));
    let claim = |now| inboxd_core::ports::OutgoingClaim { now, until: now + Duration::MINUTE, ..wanted(100, 10) };
    assert_eq!(claim_as(&world, &claim(at(200))).await.len(), 1);
    assert_eq!(claim_as(&world, &claim(at(0) + Duration::HOUR)).await.len(), 2);
}
