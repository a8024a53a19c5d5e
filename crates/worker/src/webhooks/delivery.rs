//! Reading and sending of claimed deliveries.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use inboxd_core::app::App;
use inboxd_core::app::webhooks::{self, Outcome, Prepared};
use inboxd_core::model::WebhookDelivery;
use inboxd_core::ports::{EventJson, WebhookSender};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, timeout_at};

use super::body_budget::{BodyBudget, BodyBytes};
use super::order::OrderTurn;
use super::webhook_limits::WebhookPermit;
use crate::metrics::WorkerMetrics;
use crate::shutdown::Shutdown;
use crate::spans::export_webhook;

/// Concurrent reads of the database, which leave connections to others.
const PARALLEL_READS: usize = 4;
/// The time for reading, retries included. The rest of the lease is for the turn and the attempt.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The time until a failed read is repeated.
const READ_RETRY_DELAY: Duration = Duration::from_secs(1);

/// A delivery that has ended.
pub(super) struct EndedDelivery {
    /// Its outcome.
    pub(super) outcome: Outcome,
    /// Its permit, in use until the outcome is recorded.
    pub(super) _permit: WebhookPermit,
}

/// A claimed delivery with its permit and its turn.
pub(super) type ClaimedDelivery = (WebhookDelivery, WebhookPermit, OrderTurn);

/// Sends claimed deliveries and reports their outcomes.
pub(super) struct WebhookDispatcher {
    app: App,
    sender: Arc<dyn WebhookSender>,
    json: Arc<dyn EventJson>,
    report: UnboundedSender<EndedDelivery>,
    reads: Semaphore,
    bodies: BodyBudget,
    metrics: Arc<WorkerMetrics>,
    shutdown: Shutdown,
}

impl WebhookDispatcher {
    pub(super) fn new(
        app: App,
        sender: Arc<dyn WebhookSender>,
        json: Arc<dyn EventJson>,
        report: UnboundedSender<EndedDelivery>,
        metrics: Arc<WorkerMetrics>,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            app,
            sender,
            json,
            report,
            reads: Semaphore::new(PARALLEL_READS),
            bodies: BodyBudget::default(),
            metrics,
            shutdown,
        }
    }

    /// Reads deliveries and sends all concurrently, those of one webhook in turn. A delivery that cannot be read in time waits
    /// for its next claim.
    pub(super) async fn deliver(self: Arc<Self>, claimed: Vec<ClaimedDelivery>) {
        let deadline = Instant::now() + READ_TIMEOUT;
        let deliveries: Vec<_> = claimed.iter().map(|(delivery, ..)| delivery.clone()).collect();
        let mut shutdown = self.shutdown.clone();
        let prepared = tokio::select! {
            prepared = timeout_at(deadline, self.prepare(deliveries)) => prepared,
            () = shutdown.requested() => return,
        };
        let Ok(prepared) = prepared else { return };
        let permits = claimed.into_iter().map(|(_, permit, turn)| (permit, turn));
        let sent = prepared
            .into_iter()
            .zip(permits)
            .map(|(prepared, (permit, turn))| self.send(prepared, permit, turn, deadline));
        join_all(sent).await;
    }

    /// Reads a delivery again once the budget has bytes for its body; `None` after the deadline.
    async fn reread(
        &self,
        delivery: WebhookDelivery,
        bytes: usize,
        deadline: Instant,
    ) -> Option<(Prepared, BodyBytes)> {
        let reread = async {
            let share = self.bodies.wait(delivery.organization_id, bytes).await;
            (self.prepare(vec![delivery]).await.pop(), share)
        };
        let mut shutdown = self.shutdown.clone();
        let (prepared, share) = tokio::select! {
            reread = timeout_at(deadline, reread) => reread.ok()?,
            () = shutdown.requested() => return None,
        };
        Some((prepared?, share))
    }

    async fn prepare(&self, deliveries: Vec<WebhookDelivery>) -> Vec<Prepared> {
        loop {
            let read = {
                let _permit = self.reads.acquire().await;
                webhooks::prepare(&self.app, self.json.as_ref(), deliveries.clone()).await
            };
            match read {
                Ok(prepared) => return prepared,
                Err(error) => tracing::error!(%error, retry_in = ?READ_RETRY_DELAY, "webhook events not read"),
            }
            tokio::time::sleep(READ_RETRY_DELAY).await;
        }
    }

    async fn send(&self, prepared: Prepared, permit: WebhookPermit, turn: OrderTurn, deadline: Instant) {
        let bytes = self.bodies.reserve(prepared.delivery.organization_id, prepared.body_bytes());
        let (prepared, _bytes) = if let Some(bytes) = bytes {
            (prepared, bytes)
        } else {
            // The delivery waits without its body.
            let (delivery, bytes) = (prepared.delivery.clone(), prepared.body_bytes());
            drop(prepared);
            let Some(reread) = self.reread(delivery, bytes, deadline).await else { return };
            reread
        };
        let on_sent = turn.wait().await;
        let (spans, started) = (prepared.spans(), Instant::now());
        let outcome = webhooks::attempt(&self.app, self.sender.as_ref(), prepared, on_sent).await;
        if let Some(outcome) = outcome {
            log(&outcome);
            if let Some(attempt) = &outcome.attempt {
                let lag = self.app.clock.now() - outcome.delivery.event_created_at;
                self.metrics.count_webhook(attempt, lag);
                export_webhook(attempt, spans, outcome.delivery.failed, started.elapsed());
            }
            // The recorder ends after the last report.
            let _ = self.report.send(EndedDelivery { outcome, _permit: permit });
        }
    }
}

fn log(outcome: &Outcome) {
    let Some(attempt) = &outcome.attempt else { return };
    let (webhook_id, event_id) = (attempt.webhook_id, attempt.event_id);
    let (status, error) = (attempt.status_code, attempt.error.as_deref());
    tracing::debug!(%webhook_id, %event_id, status, error, milliseconds = attempt.duration_ms, "webhook delivery attempted");
}
