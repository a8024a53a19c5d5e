mod holds;

use inboxd_core::model::outgoing::{RawMail, SentMessage};
use inboxd_core::model::{ClaimedMail, Inbox, Organization, OutgoingId, QueuedMail, Route, Suspension, TraceContext};
use inboxd_core::ports::{
    CapturedMail, DestinationTrouble, MessageKey, OutgoingClaim, OutgoingReads, QueueDepth, QueueHolds, QueueSlice,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::*;

const LEASE: Duration = Duration::milliseconds(100);

pub(crate) fn outgoing(world: &World, number: u128) -> QueuedMail {
    QueuedMail {
        outgoing_id: outgoing_id(number),
        organization_id: world.organization_id(),
        message: None,
        route: Route::Remote,
        envelope_from: address("Scout@agents.example"),
        recipients: vec![address("Anna@example.org"), address("bob@example.org")],
        raw: RawMail::Sealed(vec![1, 2, 3]),
        destination: String::new(),
        attempts: 0,
        claim_id: None,
        is_delay_told: false,
        is_code: true,
        traceparent: TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
        created_at: at(0),
        due_at: at(i64::try_from(number).unwrap()),
    }
}

pub(crate) fn outgoing_id(number: u128) -> OutgoingId {
    Uuid::from_u128(number).into()
}

/// The queued mail of message `number`.
pub(crate) fn of_message(world: &World, number: u128) -> QueuedMail {
    let message = SentMessage {
        pod_id: world.inbox.pod_id,
        inbox_id: world.inbox_id().clone(),
        thread_id: thread_id(i64::try_from(number).unwrap()),
        message_id: message_id(&number.to_string()),
    };
    QueuedMail {
        message: Some(message),
        raw: RawMail::OfMessage,
        route: Route::Local,
        is_code: false,
        ..outgoing(world, number)
    }
}

pub(crate) async fn enqueue(world: &World, mails: &[QueuedMail]) {
    let mut tx = world.begin().await;
    tx.outgoing().enqueue(mails).await.unwrap();
    tx.commit().await.unwrap();
}

/// The request of a worker without claims; its claim id is the time.
pub(crate) fn wanted(now: i64, limit: u32) -> OutgoingClaim {
    OutgoingClaim {
        claim_id: claim_id(now),
        now: at(now),
        until: at(now) + LEASE,
        limit,
        retries: limit,
        messages: limit,
        codes: limit,
        per_organization: limit,
        held: Vec::new(),
        per_destination: 4,
        in_hand: Vec::new(),
    }
}

fn claim_id(now: i64) -> Uuid {
    Uuid::from_u128(1_000_000 + u128::try_from(now).unwrap())
}

pub(crate) async fn claim_as(world: &World, claim: &OutgoingClaim) -> Vec<QueuedMail> {
    let mut tx = world.begin().await;
    let claimed = tx.outgoing().claim(claim).await.unwrap();
    tx.commit().await.unwrap();
    claimed
}

async fn claim(world: &World, now: i64, limit: u32) -> Vec<QueuedMail> {
    claim_as(world, &wanted(now, limit)).await
}

#[tokio::test]
async fn claimed_mail_equals_queued_mail_except_attempt_and_lease() {
    let world = world().await;
    let mails = [outgoing(&world, 1), of_message(&world, 2)];
    enqueue(&world, &mails).await;
    enqueue(&world, &[]).await;
    let claimed = claim(&world, 50, 10).await;
    let leased = mails.map(|mail| QueuedMail { attempts: 1, claim_id: Some(claim_id(50)), due_at: at(150), ..mail });
    assert_eq!(claimed, leased);
    for (claimed, queued) in claimed.iter().zip(&leased) {
        assert_eq!(claimed.envelope_from.as_str(), queued.envelope_from.as_str());
    }
}

#[tokio::test]
async fn due_mail_is_claimed_longest_due_first() {
    let world = world().await;
    enqueue(&world, &[outgoing(&world, 30), outgoing(&world, 10), outgoing(&world, 20)]).await;
    assert_eq!(claim(&world, 9, 10).await, []);
    let ids: Vec<OutgoingId> = claim(&world, 40, 2).await.into_iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [outgoing_id(10), outgoing_id(20)]);
    let ids: Vec<OutgoingId> = claim(&world, 40, 2).await.into_iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [outgoing_id(30)]);
}

#[tokio::test]
async fn concurrent_workers_claim_different_mails() {
    let world = world().await;
    enqueue(&world, &[outgoing(&world, 1), outgoing(&world, 2), outgoing(&world, 3)]).await;
    let mut first = world.begin().await;
    let mut second = world.begin().await;
    let one = first.outgoing().claim(&wanted(10, 2)).await.unwrap();
    let two = second.outgoing().claim(&wanted(10, 2)).await.unwrap();
    first.commit().await.unwrap();
    second.commit().await.unwrap();
    let mut ids: Vec<OutgoingId> = one.iter().chain(&two).map(|mail| mail.outgoing_id).collect();
    ids.sort();
    assert_eq!(ids, [outgoing_id(1), outgoing_id(2), outgoing_id(3)]);
}

/// Queues a mail of message `number` in another organization.
fn of_organization(world: &World, organization: u128, number: u128) -> QueuedMail {
    QueuedMail { organization_id: Uuid::from_u128(organization).into(), ..of_message(world, number) }
}

#[tokio::test]
async fn system_mail_precedes_other_mail() {
    let world = world().await;
    enqueue(&world, &[of_message(&world, 1), of_message(&world, 2), outgoing(&world, 30), outgoing(&world, 20)]).await;
    let ids: Vec<OutgoingId> = claim(&world, 40, 1).await.into_iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [outgoing_id(20)]);
    let ids: Vec<OutgoingId> = claim(&world, 40, 2).await.into_iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [outgoing_id(1), outgoing_id(30)]);
}

#[tokio::test]
async fn organization_with_much_mail_leaves_permits_to_others() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=200).map(|number| of_message(&world, number)).collect();
    mails.extend((2..=4).map(|organization| of_organization(&world, organization, 300 + organization)));
    mails.push(of_organization(&world, 4, 310));
    enqueue(&world, &mails).await;
    let claimed = claim(&world, 1_000, 6).await;
    let ids: Vec<OutgoingId> = claimed.iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [1, 2, 302, 303, 304, 310].map(outgoing_id));
    // Without competitors it has all permits.
    assert_eq!(claim(&world, 1_000, 150).await.len(), 150);
    assert_eq!(claim(&world, 1_000, 150).await.len(), 48);
    assert_eq!(claim(&world, 1_000, 150).await, []);
}

#[tokio::test]
async fn single_permit_serves_organizations_in_turn() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=200).map(|number| of_message(&world, number)).collect();
    mails.push(of_organization(&world, 2, 300));
    enqueue(&world, &mails).await;
    // A random failure has a probability of 1 in 2^100.
    for _ in 0..100 {
        if claim(&world, 1_000, 1).await[0].outgoing_id == outgoing_id(300) {
            return;
        }
    }
    panic!("the mail of the second organization was never claimed");
}

#[tokio::test]
async fn unreadable_mail_does_not_block_others() {
    let world = world().await;
    enqueue(&world, &[outgoing(&world, 1), outgoing(&world, 2)]).await;
    let breaking =
        "UPDATE outgoing SET envelope_from = 'none' WHERE outgoing_id = '00000000-0000-0000-0000-000000000001'";
    world.database.execute(breaking).await;
    let ids: Vec<OutgoingId> = claim(&world, 10, 10).await.into_iter().map(|mail| mail.outgoing_id).collect();
    assert_eq!(ids, [outgoing_id(2)]);
    // It waits like other claimed mail, so that it does not come first every second.
    world.database.execute("UPDATE outgoing SET envelope_from = 'b@inboxd.example'").await;
    assert_eq!(claim(&world, 109, 10).await, []);
    assert_eq!(claim(&world, 110, 10).await.len(), 2);
}

#[tokio::test]
async fn worker_skips_rows_locked_by_other_claim() {
    let world = world().await;
    let mails: Vec<QueuedMail> = (1..=3).map(|number| of_message(&world, number)).collect();
    enqueue(&world, &mails).await;
    let (mut first, mut second, mut third) = (world.begin().await, world.begin().await, world.begin().await);
    let one = first.outgoing().claim(&wanted(10, 1)).await.unwrap();
    let two = second.outgoing().claim(&wanted(10, 1)).await.unwrap();
    first.commit().await.unwrap();
    let three = third.outgoing().claim(&wanted(10, 9)).await.unwrap();
    second.commit().await.unwrap();
    third.commit().await.unwrap();
    let mut ids: Vec<OutgoingId> = one.iter().chain(&two).chain(&three).map(|mail| mail.outgoing_id).collect();
    ids.sort();
    assert_eq!(ids, [1, 2, 3].map(outgoing_id));
}

#[tokio::test]
async fn worker_with_expired_lease_changes_nothing() {
    let world = world().await;
    enqueue(&world, &[outgoing(&world, 1)]).await;
    let late = claim(&world, 10, 1).await.remove(0);
    assert_eq!(claim(&world, 109, 1).await, []);
    let now = claim(&world, 110, 1).await.remove(0);
    assert_eq!(now.attempts, 2);

    let mut tx = world.begin().await;
    assert!(!tx.outgoing().defer(&QueuedMail { due_at: at(5), ..late.clone() }, "busy").await.unwrap());
    assert_eq!(tx.outgoing().remove(&[(&late).into()]).await.unwrap(), []);
    let left = vec![address("bob@example.org")];
    assert!(
        tx.outgoing()
            .defer(
                &QueuedMail { recipients: left.clone(), due_at: at(500), is_delay_told: true, ..now.clone() },
                "busy"
            )
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();

    let again = claim(&world, 500, 1).await.remove(0);
    assert_eq!((again.attempts, &again.recipients, again.is_delay_told), (3, &left, true));
    let mut tx = world.begin().await;
    assert_eq!(tx.outgoing().remove(&[(&late).into(), (&again).into()]).await.unwrap(), [(&again).into()]);
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn queued_mail_retains_content_of_its_message() {
    let world = world().await;
    let mail = world.mail(1);
    world.deliver(&mail).await;
    enqueue(&world, &[of_message(&world, 1), outgoing(&world, 2)]).await;
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap(), Some(mail.raw.clone()));
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(2)).await.unwrap(), None);
    let size = u64::try_from(mail.raw.len()).unwrap();
    assert_eq!(world.store.size_of_outgoing(outgoing_id(1)).await.unwrap(), Some(size));
    let mut tx = world.begin().await;
    tx.messages().delete(world.organization_id(), world.inbox_id(), &[message_id("1")]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(1)).await.unwrap(), Some(mail.raw));
    assert_eq!(world.store.raw_of_outgoing(outgoing_id(3)).await.unwrap(), None);
    assert_eq!(world.store.size_of_outgoing(outgoing_id(1)).await.unwrap(), Some(size));
    assert_eq!(world.store.size_of_outgoing(outgoing_id(3)).await.unwrap(), None);
}

#[tokio::test]
async fn newest_thousand_captured_mails_are_retained() {
    let world = world().await;
    let captured = |number: i64| CapturedMail {
        message: (number == 1003).then(|| MessageKey {
            organization_id: world.organization_id(),
            inbox_id: world.inbox_id().clone(),
            message_id: message_id("1"),
        }),
        envelope_from: address("a@example.org"),
        recipients: vec![address("b@example.org")],
        sealed: vec![1],
        captured_at: at(number),
    };
    let mut tx = world.begin().await;
    for number in 1..=1003 {
        tx.outgoing().capture(&captured(number)).await.unwrap();
    }
    tx.commit().await.unwrap();
    let all = world.store.captured(5000, 1).await.unwrap();
    assert_eq!((all.len(), &all[0], &all[999]), (1000, &captured(4), &captured(1003)));
    assert_eq!(world.store.captured(2, 1).await.unwrap(), [captured(1002), captured(1003)]);
    assert_eq!(world.store.captured(2, 0).await.unwrap(), []);
}

#[tokio::test]
async fn operator_sees_depth_and_destinations_with_deferred_mail() {
    let world = world().await;
    assert_eq!(world.store.queue_depth(10).await.unwrap(), (QueueDepth::default(), Vec::new()));
    let to = |number: u128, destination: &str, attempts: u32, claim_id: Option<Uuid>| QueuedMail {
        destination: destination.to_owned(),
        attempts,
        claim_id,
        ..outgoing(&world, number)
    };
    let claimed = Some(claim_id(1));
    let mails = [
        to(1, "slow.example", 3, None),
        to(2, "slow.example", 1, None),
        to(3, "down.example", 2, claimed),
        // The first attempt runs, or has not begun.
        to(4, "new.example", 1, claimed),
        to(5, "slow.example", 0, None),
    ];
    enqueue(&world, &mails).await;
    let (depth, troubles) = world.store.queue_depth(10).await.unwrap();
    assert_eq!(depth, QueueDepth { messages: 5, held: 0, deferred: 3, oldest_at: Some(at(0)) });
    let trouble = |destination: &str, deferred, most_attempts, next| DestinationTrouble {
        destination: destination.to_owned(),
        deferred,
        most_attempts,
        oldest_at: at(0),
        next_at: at(next),
        reason: None,
    };
    assert_eq!(troubles, [trouble("slow.example", 2, 3, 1), trouble("down.example", 1, 2, 3)]);
    assert_eq!(world.store.queue_depth(1).await.unwrap().1.len(), 1);

    let claimed = claim(&world, 10, 5).await;
    let mut tx = world.begin().await;
    for mail in claimed.iter().filter(|mail| mail.destination == "slow.example") {
        let reason = format!("greylisted {}", mail.outgoing_id.0.as_u128());
        assert!(tx.outgoing().defer(mail, &reason).await.unwrap());
    }
    tx.commit().await.unwrap();
    let (_, troubles) = world.store.queue_depth(1).await.unwrap();
    assert!(troubles[0].reason.as_deref().is_some_and(|reason| reason.starts_with("greylisted")), "{troubles:?}");
}

#[tokio::test]
async fn claimed_mail_is_found_by_claim() {
    let world = world().await;
    enqueue(&world, &[outgoing(&world, 1), of_message(&world, 2)]).await;
    let claimed = claim(&world, 10, 2).await;
    for mail in &claimed {
        let claim = ClaimedMail::from(mail);
        assert_eq!(world.store.claimed_mail(claim).await.unwrap().as_ref(), Some(mail));
        let elsewhere = ClaimedMail { organization_id: Uuid::from_u128(9).into(), ..claim };
        for other in
            [ClaimedMail { claim_id: claim_id(11), ..claim }, ClaimedMail { claim_id: Uuid::nil(), ..claim }, elsewhere]
        {
            assert_eq!(world.store.claimed_mail(other).await.unwrap(), None);
        }
    }
}

#[tokio::test]
async fn mail_queued_as_claimed_is_exclusive_until_lease_expiry() {
    let world = world().await;
    let mail = QueuedMail { attempts: 1, claim_id: Some(claim_id(7)), due_at: at(100), ..outgoing(&world, 1) };
    enqueue(&world, std::slice::from_ref(&mail)).await;
    assert_eq!(claim(&world, 99, 1).await, []);
    assert_eq!(world.store.claimed_mail((&mail).into()).await.unwrap(), Some(mail.clone()));
    assert_eq!(claim(&world, 100, 1).await.remove(0).attempts, 2);
    assert_eq!(world.store.claimed_mail((&mail).into()).await.unwrap(), None);
}
