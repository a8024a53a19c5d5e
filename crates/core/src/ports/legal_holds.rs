//! Legal holds.

use inboxd_port_macros::port;

use super::StoreError;
use crate::model::{LegalHold, LegalHoldScope, OrganizationId};

/// Reads of legal holds.
#[port]
pub trait LegalHoldReads {
    /// Returns the hold of exactly this scope.
    async fn legal_hold(&self, scope: &LegalHoldScope) -> Result<Option<LegalHold>, StoreError>;
}

/// Writes of legal holds. Each deletion holds its inbox and then looks here, so a writer that locks the inboxes of a
/// scope exclusively first is missed by none.
#[port]
pub trait LegalHoldWrites: Send {
    /// Returns the hold of exactly this scope.
    async fn find(&mut self, scope: &LegalHoldScope) -> Result<Option<LegalHold>, StoreError>;

    /// Returns a hold that covers this scope: its own, or that of the organization.
    async fn covering(&mut self, scope: &LegalHoldScope) -> Result<Option<LegalHold>, StoreError>;

    /// Returns any hold of an organization, on all of it or on one inbox.
    async fn any(&mut self, organization_id: OrganizationId) -> Result<Option<LegalHold>, StoreError>;

    /// Stores a hold, in place of an earlier one of its scope.
    async fn put(&mut self, hold: &LegalHold) -> Result<(), StoreError>;

    /// Deletes the hold of a scope.
    async fn remove(&mut self, scope: &LegalHoldScope) -> Result<(), StoreError>;
}
