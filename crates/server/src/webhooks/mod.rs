//! Telling webhooks of events, without being asked.
//!
//! ```text
//! mod.rs       the loop: record what came of deliveries, claim what is due, wait
//! room.rs      how many deliveries are in hand
//! order.rs     the order in which the deliveries of one webhook begin
//! delivery.rs  reading some deliveries and sending each
//! record.rs    storing what came of them, until it is stored
//! replay.rs    queueing what is to be told again
//! ```

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
use tokio::sync::mpsc;
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
/// Nothing is claimed before all that has ended is recorded. So after an outage of the database nobody sends again what
/// was sent, and the deliveries in hand are never more than there is room for.
pub(crate) async fn tell(
    app: App,
    sender: Arc<dyn WebhookSender>,
    json: Arc<dyn EventJson>,
    wake: Arc<WakeWorkers>,
    mut shutdown: Shutdown,
) {
    let (report, mut reports) = mpsc::unbounded_channel::<Ended>();
    let teller = Arc::new(Teller::new(app.clone(), sender, json, report, shutdown.clone()));
    let mut recorder = Recorder::new(app.clone());
    let (room, mut order) = (Room::default(), Order::default());
    let mut running = JoinSet::new();
    loop {
        while let Ok(ended) = reports.try_recv() {
            recorder.add(ended);
        }
        let is_recorded = recorder.record().await;
        let is_stopping = shutdown.has_come();
        if is_stopping && running.is_empty() && reports.is_empty() && recorder.may_stop() {
            return;
        }
        if is_recorded && !is_stopping {
            for some in claim(&app, &room).await.chunks(READ_AT_ONCE) {
                let taken = some.iter().map(|delivery| (delivery.clone(), room.take(delivery), order.turn(delivery)));
                running.spawn(Arc::clone(&teller).deliver(taken.collect()));
            }
        }
        let patience = if is_recorded { POLL } else { recorder.pause() };
        tokio::select! {
            () = shutdown.comes(), if !is_stopping => {}
            Some(ended) = reports.recv(), if is_recorded => recorder.add(ended),
            Some(_) = running.join_next() => {}
            () = wake.webhooks.notified(), if is_recorded && !is_stopping => {}
            () = tokio::time::sleep(patience) => {}
        }
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
