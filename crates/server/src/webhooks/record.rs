//! Storing what came of deliveries, until it is stored.

use std::time::Duration;

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::webhooks::{self, GivenUp, Outcome};
use inboxd_core::ports::StoreError;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

use super::delivery::Ended;

/// How many are stored in one unit of work.
const MOST: usize = 256;
/// How long until the first repeat, and how long at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// How often it is tried to store what storage refuses: it may be another trouble than with that.
const TRIES_OF_REFUSED: u32 = 3;
/// How often it is tried once there is nothing else to do but to stop.
const TRIES_TO_STOP: u32 = 5;

/// What came of deliveries and is not stored yet.
pub(super) struct Recorder {
    app: App,
    waiting: Vec<Ended>,
    /// How often in a row it could not be stored.
    failures: u32,
}

impl Recorder {
    pub(super) fn new(app: App) -> Self {
        Self { app, waiting: Vec::new(), failures: 0 }
    }

    /// Stores what is reported, as it comes and many at once, until nobody reports any more. Says after each time whether
    /// all of it is stored; otherwise the database is away.
    pub(super) async fn run(mut self, mut reports: UnboundedReceiver<Ended>, say: watch::Sender<bool>) {
        loop {
            if self.waiting.is_empty() {
                let Some(ended) = reports.recv().await else { return };
                self.add(ended);
            }
            while let Ok(ended) = reports.try_recv() {
                self.add(ended);
            }
            let is_recorded = self.record().await;
            say.send_replace(is_recorded);
            if !is_recorded {
                if reports.is_closed() && reports.is_empty() && self.failures >= TRIES_TO_STOP {
                    return;
                }
                tokio::time::sleep(self.pause()).await;
            }
        }
    }

    /// One more has ended.
    fn add(&mut self, ended: Ended) {
        self.waiting.push(ended);
    }

    /// Stores all that waits, as many as there are at once. Answers whether nothing waits any more; otherwise the
    /// database is away.
    async fn record(&mut self) -> bool {
        let mut most = MOST;
        while !self.waiting.is_empty() {
            let some = self.waiting.len().min(most);
            let outcomes: Vec<Outcome> = self.waiting.iter().take(some).map(|ended| ended.outcome.clone()).collect();
            match webhooks::record(&self.app, &outcomes).await {
                Ok(given_up) => given_up.iter().for_each(say),
                Err(error) if is_passing(&error) || self.failures < TRIES_OF_REFUSED => {
                    self.failures = self.failures.saturating_add(1);
                    tracing::error!(%error, "what came of deliveries to webhooks could not be stored; it is tried again");
                    return false;
                }
                // Storage refuses one of them, which must not keep the others from it.
                Err(_) if some > 1 => {
                    most = 1;
                    continue;
                }
                Err(error) => {
                    let delivery = outcomes.first().map(|outcome| &outcome.delivery);
                    tracing::error!(%error, ?delivery, "what came of a delivery to a webhook cannot be stored");
                }
            }
            self.waiting.drain(..some);
        }
        self.failures = 0;
        true
    }

    /// How long until it is tried again.
    fn pause(&self) -> Duration {
        let (first, longest) = PAUSES;
        first.saturating_mul(2_u32.saturating_pow(self.failures.saturating_sub(1))).min(longest)
    }
}

/// Whether the same can be stored later.
fn is_passing(error: &Error) -> bool {
    use StoreError::{Contention, LockTimeout, Unavailable, Undecided};
    matches!(error, Error::Store(Unavailable(_) | Undecided(_) | Contention | LockTimeout))
}

fn say(given_up: &GivenUp) {
    let GivenUp { organization_id, webhook_id } = given_up;
    tracing::warn!(
        %organization_id,
        %webhook_id,
        "webhook disabled: nothing but failures for five days; GET /v0/webhooks/attempts?webhook_id={webhook_id} says why. \
         Once its receiver works, enable it with PATCH /v0/webhooks/{webhook_id} and have it told what it missed with \
         POST /v0/webhooks/{webhook_id}/replay"
    );
}

#[cfg(test)]
mod tests {
    use inboxd_core::model::{EventType, WebhookDelivery};
    use inboxd_core::testing::fixtures::{NOW, id};
    use inboxd_core::testing::{Captured, World};
    use tokio::sync::mpsc::unbounded_channel;

    use super::super::room::Room;
    use super::*;

    fn ended(room: &Room, event: u128) -> Ended {
        let delivery = WebhookDelivery {
            organization_id: id(1),
            webhook_id: id(50),
            event_id: id(event),
            event_type: EventType::MessageReceived,
            event_created_at: NOW,
            position: 1,
            failed: 0,
            claim_id: id(90),
            is_failing: false,
        };
        Ended { _place: room.take(&delivery), outcome: Outcome { delivery, attempt: None } }
    }

    /// Prepares a unit of work that stores everything but what came of this event, which it answers with an error.
    fn refuses(world: &mut World, event: u128, error: StoreError, stored: &Captured<usize>) {
        let stored = stored.clone();
        let deliveries = &mut world.unit_of_work().deliveries;
        deliveries.expect_lock_runs().returning(|_| Ok(Vec::new()));
        deliveries.expect_settle().return_once(move |settlements| {
            if settlements.iter().any(|settlement| settlement.delivery.event_id == id(event)) {
                return Err(error);
            }
            stored.push(settlements.len());
            Ok(())
        });
    }

    #[tokio::test]
    async fn while_the_database_is_away_everything_is_kept_with_its_place() {
        let (mut world, room, stored) = (World::default(), Room::default(), Captured::default());
        for _ in 0..10 {
            refuses(&mut world, 2, StoreError::Unavailable("away".to_owned()), &stored);
        }
        refuses(&mut world, 0, StoreError::Contention, &stored);
        let free = room.left();
        let mut recorder = Recorder::new(world.app());
        for event in 1..=3 {
            recorder.add(ended(&room, event));
        }
        let mut last_pause = Duration::ZERO;
        for _ in 0..10 {
            assert!(!recorder.record().await);
            assert!(recorder.pause() >= last_pause && recorder.pause() <= PAUSES.1);
            last_pause = recorder.pause();
            assert_eq!(room.left().all, free.all - 3);
        }
        assert!(recorder.record().await);
        assert_eq!((stored.only(), room.left()), (3, free));
    }

    #[tokio::test]
    async fn what_storage_refuses_keeps_nothing_else_from_it() {
        let (mut world, room, stored) = (World::default(), Room::default(), Captured::default());
        // Three tries of all, one more, and then each by itself.
        for _ in 0..7 {
            refuses(&mut world, 2, StoreError::Failed("no".to_owned()), &stored);
        }
        let mut recorder = Recorder::new(world.app());
        for event in 1..=3 {
            recorder.add(ended(&room, event));
        }
        for _ in 0..TRIES_OF_REFUSED {
            assert!(!recorder.record().await);
        }
        assert!(recorder.record().await);
        assert_eq!(stored.all(), [1, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_reported_is_stored_until_nobody_reports_and_what_cannot_be_is_given_up_then() {
        let (mut world, room, stored) = (World::default(), Room::default(), Captured::default());
        refuses(&mut world, 0, StoreError::Contention, &stored);
        for _ in 0..TRIES_TO_STOP {
            refuses(&mut world, 3, StoreError::Unavailable("away".to_owned()), &stored);
        }
        let (report, reports) = unbounded_channel();
        let (say, mut recorded) = watch::channel(true);
        let running = tokio::spawn(Recorder::new(world.app()).run(reports, say));
        for event in 1..=2 {
            assert!(report.send(ended(&room, event)).is_ok());
        }
        assert!(recorded.changed().await.is_ok());
        assert_eq!((stored.only(), *recorded.borrow_and_update()), (2, true));
        assert!(report.send(ended(&room, 3)).is_ok());
        assert!(recorded.changed().await.is_ok());
        assert!(!*recorded.borrow_and_update(), "nothing is to be claimed now");
        drop(report);
        assert!(running.await.is_ok());
        assert_eq!(room.left(), Room::default().left());
    }
}
