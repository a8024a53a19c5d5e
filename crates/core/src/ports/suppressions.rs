//! Suppressed addresses.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;

use super::StoreError;
use crate::model::{OrganizationId, Page, PageRequest, Suppression};

/// Filter and page of a suppression list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressionQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The page, ordered by suppression time; the address is the id.
    pub page: PageRequest,
}

/// Reads of suppressed addresses.
#[port]
pub trait SuppressionReads {
    /// Returns the suppressed ones of these addresses.
    async fn suppressed(
        &self,
        organization_id: OrganizationId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<Suppression>, StoreError>;

    /// Returns a page of suppressed addresses.
    async fn list_suppressions(&self, query: &SuppressionQuery) -> Result<Page<Suppression>, StoreError>;

    /// Returns a page of suppressed addresses, ordered by address; the cursor id is the address.
    async fn suppressions_by_address(
        &self,
        organization_id: OrganizationId,
        page: &PageRequest,
    ) -> Result<Page<Suppression>, StoreError>;
}

/// Writes of suppressed addresses.
#[port]
pub trait SuppressionWrites: Send {
    /// Suppresses an address. An existing suppression is unchanged.
    async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError>;
}
