//! Sent messages by the ids in their return paths.

use super::StoreError;
use crate::model::return_path::SentMail;
use crate::model::{DomainName, OrganizationId, OutgoingId};
use inboxd_port_macros::port;

/// Reads of sent messages and of the domains for their bounce reports.
#[port]
pub trait ReturnPathReads {
    /// Returns a sent message; `None` if it is unknown or expired.
    async fn sent_mail(&self, outgoing_id: OutgoingId) -> Result<Option<SentMail>, StoreError>;

    /// Returns the nearest of these names, a domain and its parents, that the organization has verified and whose
    /// records route messages to this service.
    async fn served_domain(
        &self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Option<DomainName>, StoreError>;
}

/// Writes of sent messages. [`super::OutgoingWrites::enqueue`] stores new ones.
#[port]
pub trait ReturnPathWrites: Send {
    /// Locks and returns a sent message.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        outgoing_id: OutgoingId,
    ) -> Result<Option<SentMail>, StoreError>;

    /// Stores the reports about the recipients of a message.
    async fn store_reported(&mut self, mail: &SentMail) -> Result<(), StoreError>;

    /// Deletes up to `limit` messages with ids older than this one. Returns the number of deleted messages.
    async fn forget(&mut self, before: OutgoingId, limit: u32) -> Result<u64, StoreError>;
}
