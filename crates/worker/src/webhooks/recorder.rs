//! The recorder: storage of outcomes, with retries until it succeeds.

use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::webhooks::{self, GivenUp, Outcome};
use prometheus_client::metrics::counter::Counter;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

use super::delivery::EndedDelivery;
use crate::recovery::is_outage;

/// Outcomes in one unit of work.
const RECORDED_BATCH: usize = 256;
/// The delay before the first retry; it doubles with each.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(100);
/// The longest delay before a retry.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(2);
/// Attempts to store a batch that storage refuses: the cause may lie elsewhere.
const MAX_REFUSED_ATTEMPTS: u32 = 3;
/// Attempts once the process stops.
const MAX_STOP_ATTEMPTS: u32 = 5;

/// Outcomes that are not stored yet.
pub(super) struct OutcomeRecorder {
    app: App,
    waiting: Vec<EndedDelivery>,
    /// Failures in succession.
    failures: u32,
    /// Count of disabled webhooks.
    disabled: Counter,
}

impl OutcomeRecorder {
    pub(super) fn new(app: App, disabled: Counter) -> Self {
        Self { app, waiting: Vec::new(), failures: 0, disabled }
    }

    /// Stores reported outcomes in batches until the last reporter is gone. Shows after each batch whether all are stored;
    /// otherwise the database is away.
    pub(super) async fn run(mut self, mut reports: UnboundedReceiver<EndedDelivery>, on_recorded: watch::Sender<bool>) {
        loop {
            if self.waiting.is_empty() {
                let Some(ended) = reports.recv().await else { return };
                self.add(ended);
            }
            while let Ok(ended) = reports.try_recv() {
                self.add(ended);
            }
            let is_recorded = self.record().await;
            on_recorded.send_replace(is_recorded);
            if !is_recorded {
                if reports.is_closed() && reports.is_empty() && self.failures >= MAX_STOP_ATTEMPTS {
                    return;
                }
                tokio::time::sleep(self.retry_delay()).await;
            }
        }
    }

    /// Adds an outcome.
    fn add(&mut self, ended: EndedDelivery) {
        self.waiting.push(ended);
    }

    /// Stores all waiting outcomes. Returns whether none waits any more; otherwise the database is away.
    async fn record(&mut self) -> bool {
        let mut max = RECORDED_BATCH;
        while !self.waiting.is_empty() {
            let batch = self.waiting.len().min(max);
            let outcomes: Vec<Outcome> = self.waiting.iter().take(batch).map(|ended| ended.outcome.clone()).collect();
            match webhooks::record(&self.app, &outcomes).await {
                Ok(disabled) => {
                    disabled.iter().for_each(log_disabled);
                    self.disabled.inc_by(u64::try_from(disabled.len()).unwrap_or(u64::MAX));
                }
                Err(error) if is_outage(&error) || self.failures < MAX_REFUSED_ATTEMPTS => {
                    self.failures = self.failures.saturating_add(1);
                    tracing::error!(%error, retry_in = ?self.retry_delay(), "webhook outcomes not stored");
                    return false;
                }
                // Storage refuses one outcome: the others are stored one by one.
                Err(_) if batch > 1 => {
                    max = 1;
                    continue;
                }
                Err(error) => {
                    let delivery = outcomes.first().map(|outcome| &outcome.delivery);
                    tracing::error!(%error, ?delivery, "webhook outcome dropped");
                }
            }
            self.waiting.drain(..batch);
        }
        self.failures = 0;
        true
    }

    /// Returns the delay before the next attempt.
    fn retry_delay(&self) -> Duration {
        let factor = 2_u32.saturating_pow(self.failures.saturating_sub(1));
        FIRST_RETRY_DELAY.saturating_mul(factor).min(MAX_RETRY_DELAY)
    }
}

fn log_disabled(disabled: &GivenUp) {
    let GivenUp { organization_id, webhook_id } = disabled;
    tracing::warn!(
        %organization_id,
        %webhook_id,
        reason = "failures for five days",
        attempts = format!("GET /v0/webhooks/attempts?webhook_id={webhook_id}"),
        enable = format!("PATCH /v0/webhooks/{webhook_id}"),
        replay = format!("POST /v0/webhooks/{webhook_id}/replay"),
        "webhook disabled"
    );
}

#[cfg(test)]
mod tests {
    use inboxd_core::model::{EventType, WebhookDelivery};
    use inboxd_core::ports::StoreError;
    use inboxd_core::testing::fixtures::{NOW, id};
    use inboxd_core::testing::{Captured, World};
    use tokio::sync::mpsc::unbounded_channel;

    use super::super::webhook_limits::WebhookLimits;
    use super::*;

    fn ended(limits: &WebhookLimits, event: u128) -> EndedDelivery {
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
        EndedDelivery { _permit: limits.acquire(&delivery), outcome: Outcome { delivery, attempt: None } }
    }

    /// Prepares a unit of work that stores all outcomes but that of one event, for which it fails.
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
    async fn outage_retains_outcomes_and_permits() {
        let (mut world, limits, stored) = (World::default(), WebhookLimits::default(), Captured::default());
        for _ in 0..10 {
            refuses(&mut world, 2, StoreError::Unavailable("away".to_owned()), &stored);
        }
        refuses(&mut world, 0, StoreError::Contention, &stored);
        let free = limits.capacity();
        let mut recorder = OutcomeRecorder::new(world.app(), Counter::default());
        for event in 1..=3 {
            recorder.add(ended(&limits, event));
        }
        let mut last_delay = Duration::ZERO;
        for _ in 0..10 {
            assert!(!recorder.record().await);
            assert!(recorder.retry_delay() >= last_delay && recorder.retry_delay() <= MAX_RETRY_DELAY);
            last_delay = recorder.retry_delay();
            assert_eq!(limits.capacity().all, free.all - 3);
        }
        assert!(recorder.record().await);
        assert_eq!((stored.only(), limits.capacity()), (3, free));
    }

    #[tokio::test]
    async fn refused_outcome_does_not_stop_others() {
        let (mut world, limits, stored) = (World::default(), WebhookLimits::default(), Captured::default());
        // Three attempts of all, one more, and then each alone.
        for _ in 0..7 {
            refuses(&mut world, 2, StoreError::Failed("no".to_owned()), &stored);
        }
        let mut recorder = OutcomeRecorder::new(world.app(), Counter::default());
        for event in 1..=3 {
            recorder.add(ended(&limits, event));
        }
        for _ in 0..MAX_REFUSED_ATTEMPTS {
            assert!(!recorder.record().await);
        }
        assert!(recorder.record().await);
        assert_eq!(stored.all(), [1, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn reports_are_stored_until_the_reporters_end() {
        let (mut world, limits, stored) = (World::default(), WebhookLimits::default(), Captured::default());
        refuses(&mut world, 0, StoreError::Contention, &stored);
        for _ in 0..MAX_STOP_ATTEMPTS {
            refuses(&mut world, 3, StoreError::Unavailable("away".to_owned()), &stored);
        }
        let (report, reports) = unbounded_channel();
        let (on_recorded, mut recorded) = watch::channel(true);
        let running = tokio::spawn(OutcomeRecorder::new(world.app(), Counter::default()).run(reports, on_recorded));
        for event in 1..=2 {
            assert!(report.send(ended(&limits, event)).is_ok());
        }
        assert!(recorded.changed().await.is_ok());
        assert_eq!((stored.only(), *recorded.borrow_and_update()), (2, true));
        assert!(report.send(ended(&limits, 3)).is_ok());
        assert!(recorded.changed().await.is_ok());
        assert!(!*recorded.borrow_and_update(), "nothing may be claimed now");
        drop(report);
        assert!(running.await.is_ok());
        assert_eq!(limits.capacity(), WebhookLimits::default().capacity());
    }
}
