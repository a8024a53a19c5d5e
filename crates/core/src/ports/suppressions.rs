//! Addresses that must not be mailed again.

use async_trait::async_trait;
use inboxd_mail::EmailAddress;

use super::StoreError;
use crate::model::{OrganizationId, Suppression};

/// Questions about suppressed addresses.
#[async_trait]
pub trait SuppressionReads {
    /// Which of these addresses are suppressed.
    async fn suppressed(
        &self,
        organization_id: OrganizationId,
        addresses: &[EmailAddress],
    ) -> Result<Vec<Suppression>, StoreError>;
}

/// Changes of suppressed addresses.
#[async_trait]
pub trait Suppressions: Send {
    /// Suppresses an address; one that is suppressed already stays as it is.
    async fn add(&mut self, suppression: &Suppression) -> Result<(), StoreError>;
}
