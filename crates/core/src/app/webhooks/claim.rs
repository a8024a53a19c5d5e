//! Taking deliveries that are due.

use time::Duration;

use crate::Error;
use crate::app::App;
use crate::model::WebhookDelivery;
use crate::ports::DeliveryClaim;

/// How long a delivery stays in the hands of whoever claimed it. An attempt is over by then; what a worker that died had
/// in its hands, another takes when the claim has run out.
pub const LEASE: Duration = Duration::seconds(60);

/// How many deliveries of one webhook are on their way at a time.
const PARALLEL: u32 = 8;

/// How much a worker can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// How many deliveries.
    pub all: u32,
    /// How many of them to webhooks that are failing: those may hang, and must not use up the room of the others.
    pub failing: u32,
}

/// Claims what is due, in the order in which it is to begin.
///
/// # Errors
/// [`Error::Store`].
pub async fn claim(app: &App, room: Room) -> Result<Vec<WebhookDelivery>, Error> {
    let now = app.clock.now();
    let claim = DeliveryClaim {
        claim_id: app.random.uuid_at(now),
        now,
        until: now + LEASE,
        limit: room.all,
        failing: room.failing,
        per_webhook: PARALLEL,
    };
    Ok(app.store.claim_deliveries(&claim).await?)
}
