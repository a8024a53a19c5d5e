//! How many deliveries are in hand, and of which organizations.

use std::sync::Arc;

use inboxd_core::app::webhooks;
use inboxd_core::model::{OrganizationId, WebhookDelivery};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::shares::{ShareCounts, ShareGuard};

/// How many deliveries one process has in hand, from their claim until what came of them is recorded.
const ALL: usize = 512;
/// How many of them may go to webhooks that are failing: those hang, mostly, and must leave room for the others.
const FAILING: usize = 256;

/// The room for deliveries.
pub(super) struct Room {
    all: Arc<Semaphore>,
    failing: Arc<Semaphore>,
    held: ShareCounts<OrganizationId>,
}

/// A place in the room. It is free again when this is dropped.
pub(super) struct Place {
    _all: Option<OwnedSemaphorePermit>,
    _failing: Option<OwnedSemaphorePermit>,
    _held: ShareGuard<OrganizationId>,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(ALL)),
            failing: Arc::new(Semaphore::new(FAILING)),
            held: ShareCounts::default(),
        }
    }
}

impl Room {
    /// What is left of it.
    pub(super) fn left(&self) -> webhooks::Room {
        let count = |places: &Semaphore| u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
        webhooks::Room { all: count(&self.all), failing: count(&self.failing), held: self.held.list() }
    }

    /// Takes the place of a delivery that was claimed within what was left.
    pub(super) fn take(&self, delivery: &WebhookDelivery) -> Place {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned().ok();
        Place {
            _all: take(&self.all),
            _failing: delivery.is_failing.then(|| take(&self.failing)).flatten(),
            _held: self.held.take(delivery.organization_id),
        }
    }
}
