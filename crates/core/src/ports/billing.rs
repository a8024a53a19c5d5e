//! Customers, subscriptions and processed events of the payment provider.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{BillingRecord, CustomerId, OrganizationId, Subscription};

/// Reads of billing data.
#[port]
pub trait BillingReads {
    /// Returns the billing record of an organization; empty if it never paid.
    async fn billing(&self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;

    /// Returns the organization of a customer.
    async fn organization_of_customer(&self, customer_id: &CustomerId) -> Result<Option<OrganizationId>, StoreError>;
}

/// Writes of billing data, all under the lock of the organization.
#[port]
pub trait BillingWrites: Send {
    /// Records an event as processed and returns false for a repeated event. Deletes old records.
    async fn note_event(
        &mut self,
        organization_id: OrganizationId,
        event_id: &str,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Returns the billing record of an organization.
    async fn read(&mut self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;

    /// Stores or replaces a subscription.
    async fn put_subscription(&mut self, subscription: &Subscription) -> Result<(), StoreError>;

    /// Stores the customer of an organization. A customer already linked to another organization stays with that one.
    async fn put_customer(
        &mut self,
        organization_id: OrganizationId,
        customer_id: &CustomerId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
