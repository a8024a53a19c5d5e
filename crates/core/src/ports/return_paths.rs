//! The mails that left, by the ids that their return paths carry.

use super::StoreError;
use crate::model::return_path::SentMail;
use crate::model::{DomainName, OrganizationId, OutgoingId};
use inboxd_port_macros::port;

/// Questions about mail that left, and where reports about it are to come.
#[port]
pub trait ReturnPathReads {
    /// A mail that left; `None` when there was none, or it was forgotten since.
    async fn sent_mail(&self, outgoing_id: OutgoingId) -> Result<Option<SentMail>, StoreError>;

    /// The nearest of these names, a domain and those above it, that is proven to be the organization's own and whose
    /// records are right, so that mail to it comes here.
    async fn served_domain(
        &self,
        organization_id: OrganizationId,
        names: &[DomainName],
    ) -> Result<Option<DomainName>, StoreError>;
}

/// Changes of what is known of mail that left. It is stored with [`super::OutgoingWrites::enqueue`].
#[port]
pub trait ReturnPathWrites: Send {
    /// Reads a mail that left and locks it.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        outgoing_id: OutgoingId,
    ) -> Result<Option<SentMail>, StoreError>;

    /// Stores what was told of the recipients of a mail.
    async fn tell(&mut self, mail: &SentMail) -> Result<(), StoreError>;

    /// Forgets up to `limit` mails whose ids are older than this one. Answers how many it forgot.
    async fn forget(&mut self, before: OutgoingId, limit: u32) -> Result<u64, StoreError>;
}
