//! Queues of many destinations, of which none blocks the others.

use std::collections::BTreeMap;

use inboxd_core::model::QueuedMail;
use inboxd_core::ports::OutgoingClaim;
use uuid::Uuid;

use crate::outgoing::{claim_as, enqueue, of_message, outgoing, wanted};
use crate::support::*;
use crate::walks::rows_read;

/// Queues mail `number` to a destination.
fn to(world: &World, destination: &str, number: u128) -> QueuedMail {
    QueuedMail { destination: destination.to_owned(), ..of_message(world, number) }
}

fn by_destination(mails: &[QueuedMail]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for mail in mails {
        *counts.entry(mail.destination.as_str()).or_default() += 1;
    }
    counts
}

fn holding(claim: &OutgoingClaim, in_hand: &[(&str, u32)]) -> OutgoingClaim {
    let in_hand = in_hand.iter().map(|(destination, taken)| ((*destination).to_owned(), *taken)).collect();
    OutgoingClaim { in_hand, ..claim.clone() }
}

#[tokio::test]
async fn destinations_have_separate_shares() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=20).map(|number| to(&world, "much.example", number)).collect();
    mails.extend((21..=23).map(|number| to(&world, "little.example", number)));
    mails.extend((24..=30).map(|number| of_message(&world, number)));
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &holding(&wanted(100, 50), &[("much.example", 1), ("other.example", 4)])).await;
    assert_eq!(by_destination(&claimed), [("", 7), ("little.example", 3), ("much.example", 3)].into());
    let claimed = claim_as(&world, &holding(&wanted(101, 50), &[("much.example", 4)])).await;
    assert_eq!(claimed, []);
    let claimed = claim_as(&world, &holding(&wanted(102, 50), &[("much.example", 9)])).await;
    assert_eq!(claimed, []);
    assert_eq!(by_destination(&claim_as(&world, &wanted(103, 50)).await), [("much.example", 4)].into());
}

#[tokio::test]
async fn share_of_destination_covers_all_organizations() {
    let world = world().await;
    let elsewhere = |organization: u128, number| QueuedMail {
        organization_id: Uuid::from_u128(organization).into(),
        ..to(&world, "much.example", number)
    };
    let mails: Vec<QueuedMail> = (1..=9).map(|number| elsewhere(number, number)).collect();
    enqueue(&world, &mails).await;
    assert_eq!(claim_as(&world, &holding(&wanted(100, 50), &[("much.example", 2)])).await.len(), 2);
    assert_eq!(claim_as(&world, &wanted(101, 50)).await.len(), 4);
}

#[tokio::test]
async fn destinations_of_organization_are_served_in_turn() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=20).map(|number| to(&world, "much.example", number)).collect();
    mails.extend((21..=22).map(|number| to(&world, "little.example", number)));
    mails.push(to(&world, "one.example", 23));
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &wanted(100, 5)).await;
    assert_eq!(by_destination(&claimed), [("little.example", 2), ("much.example", 2), ("one.example", 1)].into());
}

#[tokio::test]
async fn retried_mail_leaves_permits_to_new_mail() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = Vec::new();
    for number in 1..=20 {
        mails.push(QueuedMail { attempts: 3, ..to(&world, &format!("d{number}.example"), number) });
    }
    mails.push(to(&world, "new.example", 21));
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &OutgoingClaim { retries: 2, ..wanted(100, 10) }).await;
    assert_eq!((claimed.len(), claimed.iter().filter(|mail| mail.attempts > 1).count()), (3, 2));
}

#[tokio::test]
async fn system_mail_has_destination_share_too() {
    let world = world().await;
    let own =
        |destination: &str, number| QueuedMail { destination: destination.to_owned(), ..outgoing(&world, number) };
    let mut mails: Vec<QueuedMail> = (1..=9).map(|number| own("much.example", number)).collect();
    mails.push(own("other.example", 10));
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &holding(&wanted(100, 50), &[("much.example", 2)])).await;
    assert_eq!(by_destination(&claimed), [("much.example", 2), ("other.example", 1)].into());
}

#[tokio::test]
async fn share_of_destination_covers_system_and_organizations() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=9).map(|number| to(&world, "much.example", number)).collect();
    mails.extend(
        (10..=12).map(|number| QueuedMail { destination: "much.example".to_owned(), ..outgoing(&world, number) }),
    );
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &wanted(100, 50)).await;
    assert_eq!((claimed.len(), claimed.iter().filter(|mail| mail.message.is_none()).count()), (4, 3));
}

#[tokio::test]
async fn organization_is_limited_over_all_destinations() {
    let world = world().await;
    let other = Uuid::from_u128(77);
    let mut mails: Vec<QueuedMail> =
        (1..=40).map(|number| to(&world, &format!("d{number:02}.wildcard.example"), number)).collect();
    mails.extend(
        (41..=42).map(|number| QueuedMail { organization_id: other.into(), ..to(&world, "out.example", number) }),
    );
    mails.push(QueuedMail { attempts: 2, ..to(&world, "d01.wildcard.example", 43) });
    enqueue(&world, &mails).await;
    let part = OutgoingClaim { per_organization: 8, ..wanted(100, 32) };
    let count = |mails: &[QueuedMail]| {
        let theirs = mails.iter().filter(|mail| mail.organization_id == other.into()).count();
        (mails.len() - theirs, theirs)
    };
    assert_eq!(count(&claim_as(&world, &part).await), (8, 2));
    let held = vec![(world.organization_id(), 8)];
    assert_eq!(count(&claim_as(&world, &OutgoingClaim { held, ..part.clone() }).await), (0, 0));
    let held = vec![(world.organization_id(), 5)];
    assert_eq!(count(&claim_as(&world, &OutgoingClaim { held, ..part }).await), (3, 0));
}

#[tokio::test]
async fn some_permits_are_reserved_for_system_mail() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=9).map(|number| of_message(&world, number)).collect();
    enqueue(&world, &mails).await;
    let claim = OutgoingClaim { messages: 3, ..wanted(100, 5) };
    assert_eq!(claim_as(&world, &claim).await.len(), 3);
    mails = (10..=13).map(|number| outgoing(&world, number)).collect();
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &OutgoingClaim { messages: 0, ..claim }).await;
    assert_eq!((claimed.len(), claimed.iter().all(|mail| mail.message.is_none())), (4, true));
}

#[tokio::test]
async fn invitations_wait_in_the_queue_as_mail_of_their_organization() {
    let world = world().await;
    let inviting = Uuid::from_u128(77);
    let invitation =
        |number| QueuedMail { organization_id: inviting.into(), is_code: false, ..outgoing(&world, number) };
    let mut mails: Vec<QueuedMail> = (1..=50).map(invitation).collect();
    mails.extend((51..=53).map(|number| of_message(&world, number)));
    mails.push(outgoing(&world, 54));
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &wanted(100, 8)).await;
    let count = |is_wanted: fn(&QueuedMail) -> bool| claimed.iter().filter(|mail| is_wanted(mail)).count();
    assert_eq!(
        (count(|mail| mail.is_code), count(|mail| mail.message.is_some()), count(|mail| !mail.is_code)),
        (1, 3, 7)
    );
}

#[tokio::test]
async fn codes_leave_permits_to_tenant_mail() {
    let world = world().await;
    let mut mails: Vec<QueuedMail> = (1..=20).map(|number| outgoing(&world, number)).collect();
    mails.extend((21..=30).map(|number| of_message(&world, number)));
    enqueue(&world, &mails).await;
    let claimed = claim_as(&world, &OutgoingClaim { codes: 4, ..wanted(100, 8) }).await;
    assert_eq!((claimed.len(), claimed.iter().filter(|mail| mail.is_code).count()), (8, 4));
}

/// Queues 30,000 mails to a destination with an exhausted share, 15,000 future ones to another, and one to a third.
const BACKLOG: &str = "
    INSERT INTO outgoing (organization_id, outgoing_id, pod_id, inbox_id, thread_id, message_id, route, envelope_from,
        recipients, attempts, created_at, due_at, destination)
    SELECT o.organization_id, md5(n::text)::uuid, o.pod_id, o.inbox_id, md5(n::text)::uuid, '<' || n || '@x>', 'remote',
        'a@example.org', '{a@dead.example}', CASE WHEN n % 3 = 0 THEN 1 ELSE 0 END, now(),
        '2026-11-18 11:06:40Z'::timestamptz + CASE WHEN n > 30000 THEN interval '1 year' ELSE n * interval '1 ms' END,
        CASE WHEN n > 30000 THEN 'late.example' ELSE 'dead.example' END
    FROM inboxes o, generate_series(1, 45000) n;
    ANALYZE outgoing;
";

#[tokio::test]
async fn backlog_of_destination_is_skipped_without_reads() {
    let world = world().await;
    world.database.execute(BACKLOG).await;
    enqueue(&world, &[to(&world, "alive.example", 200_000)]).await;
    let claim = holding(&wanted(300_000, 200), &[("dead.example", 4)]);
    let read = rows_read(&world, async |store| {
        let mut tx = inboxd_core::ports::Store::begin(store).await.unwrap();
        let claimed = tx.outgoing().claim(&claim).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(by_destination(&claimed), [("alive.example", 1)].into());
    });
    let read = read.await;
    assert!(read < 2_000, "{read} rows were read");
}

#[tokio::test]
async fn each_of_many_destinations_is_served() {
    let world = world().await;
    // More destinations than one claim checks; all except the last have an exhausted share or are not due.
    let mut mails = Vec::new();
    for number in 1..=400 {
        let mail = to(&world, &format!("d{number:03}.example"), number);
        mails.push(if number % 2 == 0 { QueuedMail { due_at: at(1_000_000), ..mail } } else { mail });
    }
    enqueue(&world, &mails).await;
    let names: Vec<String> = (1..=398).map(|number| format!("d{number:03}.example")).collect();
    let in_hand: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 4)).collect();
    let claim = holding(&wanted(1_000, 50), &in_hand);
    // A random failure has a probability of 1 in 10^7.
    for _ in 0..100 {
        let claimed = claim_as(&world, &claim).await;
        if by_destination(&claimed) == [("d399.example", 1)].into() {
            return;
        }
        assert_eq!(claimed, []);
    }
    panic!("the last destination was never served");
}
