//! Immediate dispatch of queued mail.

use futures_channel::oneshot;
use inboxd_core::Error;
use inboxd_core::app::messages::send;
use inboxd_core::app::{App, LEASE, Letter, SendResult};
use inboxd_core::model::Claim;
use inboxd_core::ports::StoreError;
use inboxd_core::testing::fixtures::{self, NOW, mailbox};
use inboxd_core::testing::{Happened, StubCourier, World};
use tokio::task::yield_now;

use super::{Outbox, expect_sending, sending_world};

/// An environment with one message to store and a dispatcher with that many slots.
fn world_with_courier(places: usize) -> (World, Outbox, StubCourier) {
    let mut world = sending_world();
    let outbox = expect_sending(&mut world);
    let courier = StubCourier::new(places, world.journal.clone());
    world.courier = Some(courier.clone());
    (world, outbox, courier)
}

async fn send_to(app: &App, to: &[&str]) -> Result<SendResult, Error> {
    let to = to.iter().map(|text| mailbox(text)).collect();
    let letter = Letter { to, text: Some("Here it is.".to_owned()), ..Letter::default() };
    send(app, &fixtures::caller(), &fixtures::inbox().inbox_id, letter, None).await
}

#[tokio::test]
async fn immediately_dispatched_mail_is_queued_as_claimed_and_journaled_first() {
    let (world, outbox, courier) = world_with_courier(1);
    let journal = world.journal.clone();
    send_to(&world.app(), &["anna@example.org"]).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Begun, Happened::Committed], "no worker is woken");
    let queued = outbox.queued.only().remove(0);
    assert!(queued.claim_id.is_some());
    assert_eq!((queued.attempts, queued.due_at), (1, NOW + LEASE));
    assert_eq!(courier.gone.only(), (queued, outbox.messages.only().raw));
    assert_eq!((courier.finished.all().len(), courier.places()), (0, 1));
}

#[tokio::test]
async fn mail_without_slot_waits_in_queue() {
    let (world, outbox, courier) = world_with_courier(1);
    let journal = world.journal.clone();
    send_to(&world.app(), &["other@inboxd.example", "anna@example.org"]).await.unwrap();
    assert_eq!(journal.entries(), [Happened::Begun, Happened::Committed, Happened::Woken]);
    let [first, second] = <[_; 2]>::try_from(outbox.queued.only()).unwrap();
    assert_eq!(courier.gone.only().0, first);
    assert_eq!((second.claim_id, second.attempts, second.due_at), (None, 0, NOW));
}

#[tokio::test]
async fn unstored_mail_is_not_dispatched() {
    let lost = StoreError::Undecided("broken".to_owned());
    for (error, finished) in [(StoreError::Unavailable("gone".to_owned()), 0), (lost, 1)] {
        let (mut world, outbox, courier) = world_with_courier(1);
        world.last_unit_of_work().commit_fails = Some(error.clone());
        if finished > 0 {
            world.store.expect_submission_events().once().returning(|_, keys| Ok(vec![None; keys.len()]));
        }
        let journal = world.journal.clone();
        assert!(send_to(&world.app(), &["anna@example.org"]).await.is_err());
        assert_eq!((courier.gone.all().len(), courier.places()), (0, 1), "{error}");
        // A claim with an undecided commit is recovered, and stays in the journal until then.
        assert_eq!(journal.entries().contains(&Happened::Settled), finished == 0, "{error}");
        let claims =
            outbox.queued.only().iter().map(|mail| Claim::Mail(mail.into())).take(finished).collect::<Vec<_>>();
        assert_eq!(courier.finished.all(), claims, "{error}");
    }
}

#[tokio::test]
async fn claim_of_cancelled_send_is_recovered() {
    let (mut world, outbox, courier) = world_with_courier(1);
    let (_never, opened) = oneshot::channel();
    world.last_unit_of_work().commit_awaits = Some(opened);
    let app = world.app();
    let task = tokio::spawn(async move { send_to(&app, &["anna@example.org"]).await });
    yield_now().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    let claim = Claim::Mail((&outbox.queued.only()[0]).into());
    assert_eq!((courier.finished.only(), courier.gone.all().len(), courier.places()), (claim, 0, 1));
}
