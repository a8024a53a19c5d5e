use inboxd_core::app::{Delivered, Finished, LEASE, finish, keep};
use inboxd_core::model::{Claim, ClaimedDraft, ClaimedMail, DeliveryOutcome, OpenWork, QueuedMail, Route};
use inboxd_core::testing::fixtures::{self, NOW, address};
use inboxd_core::testing::{Captured, Happened, World};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{deferred, delivery, expect_settling, mail, refused, world};

/// An environment with or without this mail in the queue.
fn world_with(mail: Option<QueuedMail>) -> World {
    let mut world = world();
    world
        .store
        .expect_claimed_mail()
        .returning(move |claim| Ok(mail.clone().filter(|mail| ClaimedMail::from(mail) == claim)));
    world
}

fn unfinished(mail: &QueuedMail, outcomes: Option<Vec<DeliveryOutcome>>) -> OpenWork {
    OpenWork { claim: Claim::Mail(mail.into()), outcomes }
}

#[tokio::test]
async fn known_outcome_is_stored_at_recovery() {
    let mail = mail(Route::Remote, &["anna@example.org", "grey@example.org"]);
    let mut world = world_with(Some(mail.clone()));
    let settled = expect_settling(world.unit_of_work());
    let work = unfinished(&mail, Some(vec![DeliveryOutcome::Delivered, deferred()]));
    let finished = finish(&world.app(), &work).await.unwrap();
    assert_eq!(finished, Finished::Recorded(Delivered { delivered: 1, bounced: 0, deferred: 1 }));
    assert_eq!(settled.bodies(), [delivery(&["anna@example.org"])]);
    assert_eq!(settled.left.only().recipients, [address("grey@example.org")]);
}

#[tokio::test]
async fn stored_outcome_is_not_stored_again() {
    let tried = mail(Route::Remote, &["anna@example.org", "dead@example.org", "grey@example.org"]);
    let outcomes = vec![DeliveryOutcome::Delivered, refused("5.1.1"), deferred()];
    // After storage it has left the queue, is in its next attempt, or waits for it with the remaining recipients.
    let waiting = QueuedMail { recipients: vec![address("grey@example.org")], ..tried.clone() };
    for found in [None, Some(QueuedMail { claim_id: Some(Uuid::from_u128(78)), ..tried.clone() }), Some(waiting)] {
        let finished = finish(&world_with(found).app(), &unfinished(&tried, Some(outcomes.clone()))).await.unwrap();
        assert_eq!(finished, Finished::NothingLeft);
    }
}

/// Expects one postponed message and returns its claim and due time.
fn expect_postponing(world: &mut World) -> Captured<(ClaimedMail, OffsetDateTime)> {
    let left = Captured::default();
    let seen = left.clone();
    world.unit_of_work().outgoing.expect_postpone().once().returning(move |claim, due_at| {
        seen.push((claim, due_at));
        Ok(true)
    });
    left
}

#[tokio::test]
async fn attempt_with_unknown_outcome_is_due_immediately() {
    let mail = mail(Route::Remote, &["anna@example.org"]);
    let mut world = world_with(Some(mail.clone()));
    let left = expect_postponing(&mut world);
    let journal = world.journal.clone();
    let finished = finish(&world.app(), &unfinished(&mail, None)).await.unwrap();
    assert_eq!(finished, Finished::Released);
    assert_eq!(left.only(), ((&mail).into(), NOW));
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
}

#[tokio::test]
async fn repeatedly_interrupted_attempt_waits_at_most_its_lease() {
    for (attempts, wait) in [(3, Duration::ZERO), (4, Duration::minutes(5)), (7, LEASE)] {
        let mail = QueuedMail { attempts, ..mail(Route::Remote, &["anna@example.org"]) };
        let mut world = world_with(Some(mail.clone()));
        let left = expect_postponing(&mut world);
        finish(&world.app(), &unfinished(&mail, None)).await.unwrap();
        assert_eq!(left.only().1, NOW + wait, "attempt {attempts}");
    }
}

#[tokio::test]
async fn lease_of_valid_claim_is_extended() {
    let mail = QueuedMail { due_at: NOW + Duration::SECOND, ..mail(Route::Remote, &["anna@example.org"]) };
    let mut world = world_with(Some(mail.clone()));
    let left = expect_postponing(&mut world);
    keep(&world.app(), (&mail).into()).await.unwrap();
    assert_eq!(left.only(), ((&mail).into(), NOW + LEASE));
    keep(&world_with(None).app(), (&mail).into()).await.unwrap();
}

#[tokio::test]
async fn claimed_unsent_draft_is_due_again() {
    let mut draft = fixtures::scheduled(NOW);
    draft.item.dispatch = draft.item.dispatch.claimed(NOW + Duration::MINUTE);
    let claimed = ClaimedDraft::from(&draft.item);
    for (revision, expected) in [(claimed.revision, Finished::Released), (9, Finished::NothingLeft)] {
        let mut world = World::default();
        let tx = world.unit_of_work();
        let found = draft.clone();
        tx.drafts.expect_lock().once().returning(move |_, _| Ok(Some(found.clone())));
        let written = Captured::default();
        let seen = written.clone();
        tx.drafts.expect_update().times(..=1).returning(move |draft, _| {
            seen.push(draft.item.dispatch);
            Ok(())
        });
        let work = OpenWork { claim: Claim::Draft(ClaimedDraft { revision, ..claimed }), outcomes: None };
        assert_eq!(finish(&world.app(), &work).await.unwrap(), expected);
        let due: Vec<_> = written.all().iter().map(inboxd_core::model::SendSchedule::due_at).collect();
        assert_eq!(due, if expected == Finished::Released { vec![Some(NOW)] } else { Vec::new() });
    }
}
