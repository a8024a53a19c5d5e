use inboxd_core::app::{LEASE, processes};
use inboxd_core::model::{Claim, ClaimedMail, QueuedMail, Route};
use inboxd_core::ports::WorkJournal;
use inboxd_core::testing::World;
use inboxd_core::testing::fixtures::NOW;
use time::Duration;
use uuid::Uuid;

use super::deliver::mail;

const DEAD: Uuid = Uuid::from_u128(0xdead);

/// An environment in which this process is released and forgotten once.
fn world() -> World {
    let mut world = World::default();
    world.store.expect_release_claims().once().returning(|processes, now| {
        assert_eq!((processes, now), (&[DEAD][..], NOW));
        Ok(2)
    });
    world.store.expect_forget_processes().once().returning(|processes| {
        assert_eq!(processes, [DEAD]);
        Ok(())
    });
    world
}

/// A journal that expects one claim.
struct OneClaim(Claim);

impl WorkJournal for OneClaim {
    fn begun(&self, claims: &[Claim]) -> bool {
        assert_eq!(claims, [self.0]);
        true
    }

    fn answered(&self, _: ClaimedMail, _: &[inboxd_core::model::DeliveryOutcome]) {}

    fn settled(&self, _: Claim) {}
}

#[tokio::test]
async fn claims_of_ended_process_are_released_and_removed() {
    assert_eq!(processes::release_ended(&world().app(), &[DEAD]).await.unwrap(), 2);
}

#[tokio::test]
async fn claims_of_silent_process_are_released() {
    let mut world = world();
    let claimed: ClaimedMail = (&QueuedMail { claim_id: Some(DEAD), ..mail(Route::Remote, &["a@example.org"]) }).into();
    world.store.expect_mail_claimed_by().once().returning(move |processes, now, until| {
        assert_eq!((processes, now, until), (&[DEAD][..], NOW, NOW + LEASE));
        Ok(vec![claimed])
    });
    let left = processes::take_over(&world.app(), &OneClaim(Claim::Mail(claimed)), &[DEAD]).await.unwrap();
    assert_eq!(left.iter().map(|work| work.claim).collect::<Vec<_>>(), [Claim::Mail(claimed)]);
}

#[tokio::test]
async fn clock_step_retains_whole_leases() {
    let mut world = World::default();
    world.store.expect_bring_forward_due_times().once().returning(|step| {
        assert_eq!((step.by, step.now), (Duration::HOUR, NOW));
        assert_eq!((step.message_lease_end, step.lease_end), (NOW + LEASE, NOW + Duration::MINUTE));
        Ok(3)
    });
    assert_eq!(processes::follow_clock(&world.app(), Duration::HOUR).await.unwrap(), 3);
}
