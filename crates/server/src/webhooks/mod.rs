//! Telling webhooks of events, without being asked.
//!
//! ```text
//! mod.rs       the loop: claim what is due, have it delivered, wait
//! room.rs      how many deliveries are in hand, and of which organizations
//! order.rs     the order in which the deliveries of one webhook begin
//! bodies.rs    bytes of bodies in memory, and of which organizations
//! delivery.rs  reading some deliveries and sending each
//! record.rs    storing what came of them, beside the loop, until it is stored
//! replay.rs    queueing what is to be told again
//! ```

mod bodies;
mod delivery;
mod order;
mod record;
mod replay;
mod room;

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::webhooks;
use inboxd_core::ports::{EventJson, WebhookSender};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use self::delivery::{Ended, Teller};
use self::order::Order;
use self::record::Recorder;
pub(crate) use self::replay::replay;
use self::room::Room;
use crate::environment::WakeWorkers;
use crate::serve::Shutdown;

/// How long it sleeps when nobody wakes it: another process may have queued events, or a retry may be due.
const POLL: Duration = Duration::from_secs(1);
/// How many deliveries are read at once. An event may hold some megabytes, of which a webhook is told one.
const READ_AT_ONCE: usize = 8;

/// Tells webhooks of events until shutdown; what is on its way then is finished, and recorded.
///
/// Nothing is claimed while something that has ended could not be recorded. So after an outage of the database nobody sends
/// again what was sent, and the deliveries in hand are never more than there is room for.
pub(crate) async fn tell(
    app: App,
    sender: Arc<dyn WebhookSender>,
    json: Arc<dyn EventJson>,
    wake: Arc<WakeWorkers>,
    mut shutdown: Shutdown,
) {
    let (report, reports) = mpsc::unbounded_channel::<Ended>();
    let (say, mut recorded) = watch::channel(true);
    let recording = tokio::spawn(Recorder::new(app.clone()).run(reports, say));
    let teller = Arc::new(Teller::new(app.clone(), sender, json, report, shutdown.clone()));
    let (room, mut order) = (Room::default(), Order::default());
    let mut running = JoinSet::new();
    while !shutdown.has_come() {
        while running.try_join_next().is_some() {}
        if *recorded.borrow_and_update() {
            for some in claim(&app, &room).await.chunks(READ_AT_ONCE) {
                let taken = some.iter().map(|delivery| (delivery.clone(), room.take(delivery), order.turn(delivery)));
                running.spawn(Arc::clone(&teller).deliver(taken.collect()));
            }
        }
        tokio::select! {
            () = shutdown.comes() => {}
            // What was recorded has left its place to others.
            Ok(()) = recorded.changed() => {}
            () = wake.webhooks.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
    while running.join_next().await.is_some() {}
    // Nobody reports any more.
    drop(teller);
    if let Err(error) = recording.await {
        tracing::error!(%error, "what came of deliveries to webhooks may not be stored");
    }
}

async fn claim(app: &App, room: &Room) -> Vec<inboxd_core::model::WebhookDelivery> {
    let left = room.left();
    if left.all == 0 {
        return Vec::new();
    }
    webhooks::claim(app, left).await.unwrap_or_else(|error| {
        tracing::error!(%error, "the queue of events for webhooks could not be read");
        Vec::new()
    })
}
