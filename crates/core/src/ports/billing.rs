//! Who pays, their subscriptions, and which events of the payment provider were seen.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{BillingRecord, CustomerId, OrganizationId, Subscription};

/// Questions about who pays.
#[port]
pub trait BillingReads {
    /// What an organization pays; empty where it never did.
    async fn billing(&self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;

    /// The organization that a customer pays for.
    async fn organization_of_customer(&self, customer_id: &CustomerId) -> Result<Option<OrganizationId>, StoreError>;
}

/// Changes of who pays. They happen under the lock of the organization.
#[port]
pub trait BillingWrites: Send {
    /// Notes an event as seen; answers false for one that was seen before. Those seen long ago are forgotten.
    async fn note_event(
        &mut self,
        organization_id: OrganizationId,
        event_id: &str,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// What an organization pays.
    async fn read(&mut self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;

    /// Stores a subscription in place of what was known of it.
    async fn put_subscription(&mut self, subscription: &Subscription) -> Result<(), StoreError>;

    /// Stores who pays for an organization. A customer who pays for another one already stays with that one.
    async fn put_customer(
        &mut self,
        organization_id: OrganizationId,
        customer_id: &CustomerId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
