//! Attachments with text for searches.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{MessageKey, StoreError};
use crate::model::OrganizationId;

/// A message with attachments that a worker reads until the lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentClaim {
    /// The message.
    pub message: MessageKey,
    /// Number of the attempt, from one.
    pub attempt: u16,
}

/// Messages with attachments that are not searchable yet. Each call is its own transaction, and several processes may
/// call it at once.
#[port]
pub trait AttachmentIndex {
    /// Returns the first organization after `after` with attachments that are due, in the order of the ids.
    async fn organization_to_read(
        &self,
        after: Option<OrganizationId>,
        now: OffsetDateTime,
    ) -> Result<Option<OrganizationId>, StoreError>;

    /// Claims the newest message of an organization with due attachments.
    async fn claim_attachments(
        &self,
        organization_id: OrganizationId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AttachmentClaim>, StoreError>;

    /// Makes texts of attachments searchable with their message, and stores how many attachments were given up. Returns
    /// `false` without a change if the claim has ended, or if the message was deleted or redacted.
    async fn store_attachment_texts(
        &self,
        claim: &AttachmentClaim,
        texts: &[String],
        unread: usize,
    ) -> Result<bool, StoreError>;

    /// Ends a claim; the attachments are due again at a later time.
    async fn retry_attachments(&self, claim: &AttachmentClaim, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Ends a claim because the source was not available: the message is due again at this time, and the attempt does not
    /// count.
    async fn postpone_attachments(&self, claim: &AttachmentClaim, at: OffsetDateTime) -> Result<(), StoreError>;
}
