//! Taking deliveries that are due.

use time::Duration;

use crate::Error;
use crate::app::App;
use crate::model::{OrganizationId, WebhookDelivery};
use crate::ports::DeliveryClaim;

/// How long a delivery stays in the hands of whoever claimed it. An attempt is over by then; what a worker that died had
/// in its hands, another takes when the claim has run out.
pub const LEASE: Duration = Duration::seconds(60);

/// How many deliveries of one webhook are on their way at a time.
const PARALLEL: u32 = 8;

/// Divisor of the organization share: an organization gets another place only while so many times as many stay free as it
/// then has. So one that is alone has 56 of 512 places, and a newcomer finds free ones however many others came before.
const SHARE_DIVISOR: u32 = 8;

/// How much a worker can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// How many deliveries.
    pub all: u32,
    /// How many of them to webhooks that are failing: those may hang, and must not use up the room of the others.
    pub failing: u32,
    /// How many deliveries it has in hand, by organization.
    pub held: Vec<(OrganizationId, u32)>,
}

/// Claims what is due, in the order in which it is to begin.
///
/// # Errors
/// [`Error::Store`].
pub async fn claim(app: &App, room: Room) -> Result<Vec<WebhookDelivery>, Error> {
    let now = app.clock.now();
    let claim = DeliveryClaim {
        claim_id: app.claim_id(now),
        now,
        until: now + LEASE,
        limit: room.all,
        failing: room.failing,
        per_webhook: PARALLEL,
        share_divisor: SHARE_DIVISOR,
        held: room.held,
    };
    Ok(app.store.claim_deliveries(&claim).await?)
}
