//! Reading some deliveries, and sending each.

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

use super::bodies::{BodyBudget, BodyBytes};
use super::order::Turn;
use super::room::Place;
use crate::serve::Shutdown;

/// How often the database is read from at the same time, so that connections are left to others.
const PARALLEL_READS: usize = 4;
/// How long reading may take, repeats included: what is left of a claim must do for the turn and the attempt.
const PATIENCE_TO_READ: Duration = Duration::from_secs(30);
/// How long until it is read again what could not be.
const PAUSE: Duration = Duration::from_secs(1);

/// A delivery that has ended.
pub(super) struct Ended {
    /// What came of it.
    pub(super) outcome: Outcome,
    /// It keeps its place until this is recorded.
    pub(super) _place: Place,
}

/// A delivery in hand.
pub(super) type Taken = (WebhookDelivery, Place, Turn);

/// Whoever delivers.
pub(super) struct Teller {
    app: App,
    sender: Arc<dyn WebhookSender>,
    json: Arc<dyn EventJson>,
    report: UnboundedSender<Ended>,
    reads: Semaphore,
    bodies: BodyBudget,
    shutdown: Shutdown,
}

impl Teller {
    pub(super) fn new(
        app: App,
        sender: Arc<dyn WebhookSender>,
        json: Arc<dyn EventJson>,
        report: UnboundedSender<Ended>,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            app,
            sender,
            json,
            report,
            reads: Semaphore::new(PARALLEL_READS),
            bodies: BodyBudget::default(),
            shutdown,
        }
    }

    /// Reads deliveries and sends each, all at the same time but for the turns of one webhook. What cannot be read in time
    /// is left to whoever claims it next.
    pub(super) async fn deliver(self: Arc<Self>, taken: Vec<Taken>) {
        let deadline = Instant::now() + PATIENCE_TO_READ;
        let deliveries: Vec<_> = taken.iter().map(|(delivery, ..)| delivery.clone()).collect();
        let mut shutdown = self.shutdown.clone();
        let prepared = tokio::select! {
            prepared = timeout_at(deadline, self.prepare(deliveries)) => prepared,
            () = shutdown.comes() => return,
        };
        let Ok(prepared) = prepared else { return };
        let taken = taken.into_iter().map(|(_, place, turn)| (place, turn));
        let sent = prepared.into_iter().zip(taken).map(|(prepared, taken)| self.send(prepared, taken, deadline));
        join_all(sent).await;
    }

    /// Reads a delivery again once there is room for its body. What finds no room in time is left to whoever claims it next.
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
            () = shutdown.comes() => return None,
        };
        Some((prepared?, share))
    }

    async fn prepare(&self, deliveries: Vec<WebhookDelivery>) -> Vec<Prepared> {
        loop {
            let read = {
                let _one_of_few = self.reads.acquire().await;
                webhooks::prepare(&self.app, self.json.as_ref(), deliveries.clone()).await
            };
            match read {
                Ok(prepared) => return prepared,
                Err(error) => tracing::error!(%error, "events for webhooks could not be read; it is tried again"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn send(&self, prepared: Prepared, (place, turn): (Place, Turn), deadline: Instant) {
        let bytes = self.bodies.take(prepared.delivery.organization_id, prepared.body_bytes());
        let (prepared, _bytes) = if let Some(bytes) = bytes {
            (prepared, bytes)
        } else {
            // The body is dropped: it waits without its bytes.
            let (delivery, bytes) = (prepared.delivery.clone(), prepared.body_bytes());
            drop(prepared);
            let Some(reread) = self.reread(delivery, bytes, deadline).await else { return };
            reread
        };
        let on_its_way = turn.comes().await;
        let outcome = webhooks::attempt(&self.app, self.sender.as_ref(), prepared, on_its_way).await;
        if let Some(outcome) = outcome {
            log(&outcome);
            // Whoever records ends last.
            let _ = self.report.send(Ended { outcome, _place: place });
        }
    }
}

fn log(outcome: &Outcome) {
    let Some(attempt) = &outcome.attempt else { return };
    let (webhook_id, event_id) = (attempt.webhook_id, attempt.event_id);
    let (status, error) = (attempt.status_code, attempt.error.as_deref());
    tracing::debug!(%webhook_id, %event_id, status, error, milliseconds = attempt.duration_ms, "webhook told");
}
