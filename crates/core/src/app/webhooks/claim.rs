//! Claims of due webhook deliveries.

use time::Duration;

use crate::Error;
use crate::app::App;
use crate::model::{OrganizationId, WebhookDelivery};
use crate::ports::DeliveryClaim;

/// Lease of a claimed delivery. An attempt ends before its lease does. The deliveries of a crashed worker become due
/// again when their leases expire.
pub const LEASE: Duration = Duration::seconds(60);

/// Maximum of concurrent deliveries to one webhook.
const PARALLEL: u32 = 8;

/// Divisor of the organization share. An organization receives another permit only while the free permits are at least
/// this many times the permits it then holds. A single organization thus reaches 56 of 512 permits, and a new one finds
/// free permits regardless of the number of others.
const SHARE_DIVISOR: u32 = 8;

/// Free delivery capacity of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// Maximum of deliveries.
    pub all: u32,
    /// Maximum of deliveries to failing webhooks. Such webhooks may hang, and must not exhaust the capacity of the
    /// others.
    pub failing: u32,
    /// Deliveries in progress by organization.
    pub held: Vec<(OrganizationId, u32)>,
}

/// Claims due deliveries and returns them in the order in which they must start.
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
