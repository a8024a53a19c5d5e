//! The outgoing queue, and the mails that capture keeps instead of sending.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use crate::model::{ClaimedMail, InboxId, OrganizationId, OutgoingId, QueuedMail};

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

/// What a worker would like to have in hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingClaim {
    /// What the claim is known by.
    pub claim_id: Uuid,
    /// The time.
    pub now: OffsetDateTime,
    /// Until when nobody else gets the mails.
    pub until: OffsetDateTime,
    /// How many mails at most.
    pub limit: u32,
    /// How many of them may have been tried before.
    pub retries: u32,
    /// How many of them may be tenants' mail; what is left is for codes.
    pub messages: u32,
    /// How many of them may be codes; what is left is for tenants' mail.
    pub codes: u32,
    /// How much mail of one organization there may be in hand.
    pub per_organization: u32,
    /// How many there are by now, by organization; a few hundred at most.
    pub held: Vec<(OrganizationId, u32)>,
    /// How many mails to one destination there may be in hand.
    pub per_destination: u32,
    /// How many there are by now, by destination; a few hundred at most.
    pub in_hand: Vec<(String, u32)>,
}

/// Queued messages of an organization, or of one of its inboxes, that one statement holds or resumes; in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSlice {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox; `None` is all of them.
    pub inbox_id: Option<InboxId>,
    /// The last message of the slice before.
    pub after: Option<OutgoingId>,
    /// The number of messages at most.
    pub limit: u32,
}

/// Questions about the queue.
#[port]
pub trait OutgoingReads {
    /// The raw mail of a queued mail whose octets are its message's.
    async fn raw_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<Vec<u8>>, StoreError>;

    /// How many octets [`Self::raw_of_outgoing`] would answer.
    async fn size_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<u64>, StoreError>;

    /// A mail in the attempt that claimed it; `None` when it has left the queue, or another attempt has begun.
    async fn claimed_mail(&self, claim: ClaimedMail) -> Result<Option<QueuedMail>, StoreError>;

    /// The captured mails, oldest first, at most `limit` of the newest.
    async fn captured(&self, limit: u32) -> Result<Vec<CapturedMail>, StoreError>;
}

/// Changes of the queue.
#[port]
pub trait OutgoingWrites: Send {
    /// Puts mails into the queue. Whom the messages among them go to outside is kept for as long as reports about them may
    /// come back, see [`super::ReturnPathWrites`].
    async fn enqueue(&mut self, mails: &[QueuedMail]) -> Result<(), StoreError>;

    /// Claims mails that are due, passing over those that another worker is claiming and over destinations that have
    /// their share in hand. Their attempts are counted up.
    async fn claim(&mut self, claim: &OutgoingClaim) -> Result<Vec<QueuedMail>, StoreError>;

    /// Stores what is left of a message after an attempt: its recipients, its next due time and whether its sender knows of
    /// the delay. Its claim ends. Returns whether that claim still held.
    async fn defer(&mut self, mail: &QueuedMail) -> Result<bool, StoreError>;

    /// Sets the due time of a message whose claim goes on. Returns whether that claim still held.
    async fn postpone(&mut self, claim: ClaimedMail, due_at: OffsetDateTime) -> Result<bool, StoreError>;

    /// Takes mails out of the queue, each claim named once. Answers the claims that still held.
    async fn remove(&mut self, claims: &[ClaimedMail]) -> Result<Vec<ClaimedMail>, StoreError>;

    /// Holds some queued messages: no claim finds them until they are resumed. Claimed messages stay claimed and are held
    /// when they are deferred. Returns where the next slice begins; `None` after the last one.
    async fn suspend(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError>;

    /// Makes some held messages due as before, except those of a suspended organization or a paused inbox. Returns where the
    /// next slice begins; `None` after the last one.
    async fn resume(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError>;

    /// Takes up to `limit` mails out of the queue that were accepted at a time or before, claimed ones too, and returns them.
    async fn take_before(&mut self, at: OffsetDateTime, limit: u32) -> Result<Vec<QueuedMail>, StoreError>;

    /// Keeps a mail instead of sending it, and forgets all but the newest thousand.
    async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError>;
}
