//! Delivery of events to webhooks.
//!
//! ```text
//! mod.rs             the loop: claim due deliveries, dispatch them, wait
//! webhook_limits.rs  limits of deliveries in progress, by organization
//! order.rs           the order in which the deliveries of one webhook begin
//! body_budget.rs     bytes of bodies in memory, by organization
//! delivery.rs        reading and sending of claimed deliveries
//! recorder.rs        storage of outcomes beside the loop
//! replay.rs          repeated delivery of past events
//! ```

mod body_budget;
mod delivery;
mod order;
mod recorder;
mod replay;
mod webhook_limits;

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::webhooks;
use inboxd_core::model::WebhookDelivery;
use inboxd_core::ports::{EventJson, WebhookSender};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use self::delivery::{EndedDelivery, WebhookDispatcher};
use self::order::DeliveryOrder;
use self::recorder::OutcomeRecorder;
pub(crate) use self::replay::replay;
use self::webhook_limits::WebhookLimits;
use crate::metrics::WorkerMetrics;
use crate::shutdown::Shutdown;
use crate::wake::WakeSignals;

/// The time between two polls: another process may have queued events, or a retry may be due.
const DELIVERY_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Deliveries that are read together. An event may have some megabytes, of which a webhook receives one.
const READ_BATCH: usize = 8;

/// Delivers events to webhooks until shutdown, and then completes and records the attempts in progress.
///
/// Nothing is claimed while an outcome cannot be recorded. So an outage of the database repeats no delivery, and deliveries in
/// progress stay within the limits.
pub async fn run_webhooks(
    app: App,
    sender: Arc<dyn WebhookSender>,
    json: Arc<dyn EventJson>,
    wake: Arc<WakeSignals>,
    metrics: Arc<WorkerMetrics>,
    mut shutdown: Shutdown,
) {
    let (report, reports) = mpsc::unbounded_channel::<EndedDelivery>();
    let (on_recorded, mut recorded) = watch::channel(true);
    let recording =
        tokio::spawn(OutcomeRecorder::new(app.clone(), metrics.disabled_webhooks.clone()).run(reports, on_recorded));
    let dispatcher = WebhookDispatcher::new(app.clone(), sender, json, report, metrics, shutdown.clone());
    let dispatcher = Arc::new(dispatcher);
    let (limits, mut order) = (WebhookLimits::default(), DeliveryOrder::default());
    let mut running = JoinSet::new();
    while !shutdown.is_requested() {
        while running.try_join_next().is_some() {}
        if *recorded.borrow_and_update() {
            for batch in claim(&app, &limits).await.chunks(READ_BATCH) {
                let claimed =
                    batch.iter().map(|delivery| (delivery.clone(), limits.acquire(delivery), order.turn(delivery)));
                running.spawn(Arc::clone(&dispatcher).deliver(claimed.collect()));
            }
        }
        tokio::select! {
            () = shutdown.requested() => {}
            // A recorded delivery has freed its permit.
            Ok(()) = recorded.changed() => {}
            () = wake.webhooks.notified() => {}
            () = tokio::time::sleep(DELIVERY_POLL_INTERVAL) => {}
        }
    }
    while running.join_next().await.is_some() {}
    // The recorder ends with the last reporter.
    drop(dispatcher);
    if let Err(error) = recording.await {
        tracing::error!(%error, "webhook recorder failed");
    }
}

async fn claim(app: &App, limits: &WebhookLimits) -> Vec<WebhookDelivery> {
    let capacity = limits.capacity();
    if capacity.all == 0 {
        return Vec::new();
    }
    webhooks::claim(app, capacity).await.unwrap_or_else(|error| {
        tracing::error!(%error, "webhook deliveries not claimed");
        Vec::new()
    })
}
