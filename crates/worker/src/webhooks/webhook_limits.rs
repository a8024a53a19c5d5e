//! Limits of webhook deliveries in progress, by organization.

use std::sync::Arc;

use inboxd_core::app::webhooks;
use inboxd_core::model::{OrganizationId, WebhookDelivery};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::shares::{ShareCounts, ShareGuard};

/// Deliveries of one process, from their claim until their outcome is recorded.
const MAX_DELIVERIES: usize = 512;
/// Deliveries to failing webhooks among them. Most of these do not respond, and must leave permits for the others.
const MAX_FAILING_DELIVERIES: usize = 256;

/// The limits of this process.
pub(super) struct WebhookLimits {
    all: Arc<Semaphore>,
    failing: Arc<Semaphore>,
    held: ShareCounts<OrganizationId>,
}

/// A permit for one delivery. Dropping it frees it.
pub(super) struct WebhookPermit {
    _all: Option<OwnedSemaphorePermit>,
    _failing: Option<OwnedSemaphorePermit>,
    _held: ShareGuard<OrganizationId>,
}

impl Default for WebhookLimits {
    fn default() -> Self {
        Self {
            all: Arc::new(Semaphore::new(MAX_DELIVERIES)),
            failing: Arc::new(Semaphore::new(MAX_FAILING_DELIVERIES)),
            held: ShareCounts::default(),
        }
    }
}

impl WebhookLimits {
    /// Returns the capacity for a claim.
    pub(super) fn capacity(&self) -> webhooks::Room {
        let count = |permits: &Semaphore| u32::try_from(permits.available_permits()).unwrap_or(u32::MAX);
        webhooks::Room { all: count(&self.all), failing: count(&self.failing), held: self.held.list() }
    }

    /// Acquires the permit of a delivery that was claimed within the capacity.
    pub(super) fn acquire(&self, delivery: &WebhookDelivery) -> WebhookPermit {
        let acquire = |permits: &Arc<Semaphore>| Arc::clone(permits).try_acquire_owned().ok();
        WebhookPermit {
            _all: acquire(&self.all),
            _failing: delivery.is_failing.then(|| acquire(&self.failing)).flatten(),
            _held: self.held.take(delivery.organization_id),
        }
    }
}
