//! Addresses that must not be mailed again.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;

use super::StoreError;
use crate::model::{OrganizationId, Page, PageRequest, Suppression};

/// Which suppressed addresses to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressionQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Which page; ordered by the time of suppression, with the address as the id.
    pub page: PageRequest,
}

/// Questions about suppressed addresses.
#[port]
pub trait SuppressionReads {
    /// Which of these addresses are suppressed.
    async fn suppressed(
        &self,
        organization_id: OrganizationId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<Suppression>, StoreError>;

    /// A page of suppressed addresses.
    async fn list_suppressions(&self, query: &SuppressionQuery) -> Result<Page<Suppression>, StoreError>;

    /// A page of suppressed addresses in the order of the addresses; the id of its cursor is the address.
    async fn suppressions_by_address(
        &self,
        organization_id: OrganizationId,
        page: &PageRequest,
    ) -> Result<Page<Suppression>, StoreError>;
}

/// Changes of suppressed addresses.
#[port]
pub trait SuppressionWrites: Send {
    /// Suppresses an address; one that is suppressed already stays as it is.
    async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError>;
}
