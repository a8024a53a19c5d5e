//! The outgoing queue, and the mails that capture keeps instead of sending.

use async_trait::async_trait;
use inboxd_mail::EmailAddress;
use time::{Duration, OffsetDateTime};

use super::StoreError;
use crate::model::{ClaimedMail, OrganizationId, Outgoing, OutgoingId};

/// A mail that was kept instead of sent (`INBOXD_DELIVERY=capture`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedMail {
    /// The return path.
    pub envelope_from: EmailAddress,
    /// The recipients.
    pub recipients: Vec<EmailAddress>,
    /// The mail, sealed by the vault.
    pub sealed: Vec<u8>,
    /// When it would have been sent.
    pub captured_at: OffsetDateTime,
}

/// Questions about the queue.
#[async_trait]
pub trait OutgoingReads {
    /// The raw mail of a queued mail whose octets are its message's.
    async fn raw_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<Vec<u8>>, StoreError>;

    /// A mail in the attempt that claimed it; `None` when it has left the queue, or another attempt has begun.
    async fn claimed_mail(&self, claim: ClaimedMail) -> Result<Option<Outgoing>, StoreError>;

    /// The captured mails, oldest first, at most `limit` of the newest.
    async fn captured(&self, limit: u32) -> Result<Vec<CapturedMail>, StoreError>;
}

/// Changes of the queue.
#[async_trait]
pub trait OutgoingQueue: Send {
    /// Puts mails into the queue. Whom the messages among them go to outside is kept for as long as reports about them may
    /// come back, see [`super::ReturnPaths`].
    async fn enqueue(&mut self, mails: &[Outgoing]) -> Result<(), StoreError>;

    /// Claims up to `limit` mails that are due, passing over those that another worker is claiming. Until the lease has
    /// run out nobody else gets them; their attempts are counted up.
    async fn claim(&mut self, now: OffsetDateTime, lease: Duration, limit: u32) -> Result<Vec<Outgoing>, StoreError>;

    /// Stores what is left of a mail after an attempt: its recipients and when it is due again. Answers whether the
    /// claim of that attempt still held.
    async fn defer(&mut self, mail: &Outgoing) -> Result<bool, StoreError>;

    /// Takes a mail out of the queue. Answers whether the claim of that attempt still held.
    async fn remove(
        &mut self,
        organization_id: OrganizationId,
        outgoing_id: OutgoingId,
        attempts: u32,
    ) -> Result<bool, StoreError>;

    /// Keeps a mail instead of sending it, and forgets all but the newest thousand.
    async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError>;
}
