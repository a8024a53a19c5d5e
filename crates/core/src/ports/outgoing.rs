//! The outgoing queue and captured messages.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{MessageKey, StoreError};
use crate::model::{ClaimedMail, DeliveryAttempt, InboxId, OrganizationId, OutgoingId, QueuedMail};

/// A message stored instead of sent (`INBOXD_DELIVERY=capture`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedMail {
    /// The stored message; `None` for a service message.
    pub message: Option<MessageKey>,
    /// The return path.
    pub envelope_from: EmailAddress,
    /// The recipients.
    pub recipients: Vec<EmailAddress>,
    /// The raw message, sealed by the vault.
    pub sealed: Vec<u8>,
    /// The time of the capture.
    pub captured_at: OffsetDateTime,
}

/// Depth of the outgoing queue of all organizations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// All messages in the queue.
    pub messages: u64,
    /// Messages of suspended organizations and paused inboxes.
    pub held: u64,
    /// Messages that were tried and wait for another attempt.
    pub deferred: u64,
    /// Acceptance of the oldest message.
    pub oldest_at: Option<OffsetDateTime>,
}

/// A destination with deferred messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DestinationTrouble {
    /// The domain of the recipients.
    pub destination: String,
    /// Messages that were tried and wait for another attempt.
    pub deferred: u64,
    /// Attempts of the message with most of them.
    pub most_attempts: u32,
    /// Acceptance of the oldest one.
    pub oldest_at: OffsetDateTime,
    /// Time of the next attempt.
    pub next_at: OffsetDateTime,
    /// Reason of a deferral: that of the message due last.
    pub reason: Option<String>,
}

/// Parameters of one claim of due messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingClaim {
    /// The claim id.
    pub claim_id: Uuid,
    /// The current time.
    pub now: OffsetDateTime,
    /// The end of the lease.
    pub until: OffsetDateTime,
    /// The maximum number of messages.
    pub limit: u32,
    /// The maximum number of messages that were tried before.
    pub retries: u32,
    /// The maximum number of tenant messages; the rest of `limit` is for codes.
    pub messages: u32,
    /// The maximum number of codes; the rest of `limit` is for tenant messages.
    pub codes: u32,
    /// The maximum number of claimed messages per organization.
    pub per_organization: u32,
    /// The number of messages already claimed per organization; a few hundred entries at most.
    pub held: Vec<(OrganizationId, u32)>,
    /// The maximum number of claimed messages per destination.
    pub per_destination: u32,
    /// The number of messages already claimed per destination; a few hundred entries at most.
    pub in_hand: Vec<(String, u32)>,
}

/// Queued messages of an organization, or of one of its inboxes, that one statement holds or resumes; in order of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueSlice {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox; `None` selects all inboxes.
    pub inbox_id: Option<InboxId>,
    /// The last message of the previous slice.
    pub after: Option<OutgoingId>,
    /// The maximum number of messages.
    pub limit: u32,
}

/// Reads of the outgoing queue.
#[port]
pub trait OutgoingReads {
    /// Returns the raw content of a queued message that shares the bytes of its stored message.
    async fn raw_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the size in bytes of the content that [`Self::raw_of_outgoing`] returns.
    async fn size_of_outgoing(&self, outgoing_id: OutgoingId) -> Result<Option<u64>, StoreError>;

    /// Returns the message of a claim; `None` when it has left the queue or a later attempt has claimed it.
    async fn claimed_mail(&self, claim: ClaimedMail) -> Result<Option<QueuedMail>, StoreError>;

    /// Returns the depth of the queue, and the `limit` destinations with most deferred messages. Only operators use it.
    async fn queue_depth(&self, limit: u32) -> Result<(QueueDepth, Vec<DestinationTrouble>), StoreError>;

    /// Returns the newest `limit` captured messages of at most `max_bytes` sealed bytes, oldest first.
    async fn captured(&self, limit: u32, max_bytes: u32) -> Result<Vec<CapturedMail>, StoreError>;
}

/// Writes of the outgoing queue.
#[port]
pub trait OutgoingWrites: Send {
    /// Adds messages to the queue. Stores the external recipients of tenant messages for as long as bounce reports can
    /// arrive, see [`super::ReturnPathWrites`].
    async fn enqueue(&mut self, mails: &[QueuedMail]) -> Result<(), StoreError>;

    /// Claims due messages and increments their attempt counters. Skips rows that another worker is claiming and
    /// destinations at their limit.
    async fn claim(&mut self, claim: &OutgoingClaim) -> Result<Vec<QueuedMail>, StoreError>;

    /// Stores the remaining recipients, next due time and delay notice of a message after an attempt, with the reason of
    /// its deferral. Ends its claim. Returns whether the claim was still valid.
    async fn defer(&mut self, mail: &QueuedMail, reason: &str) -> Result<bool, StoreError>;

    /// Returns whether a copy of a message is in the queue.
    async fn holds_message(&mut self, message: &MessageKey) -> Result<bool, StoreError>;

    /// Adds attempts to the log of their inboxes, which expires with the events.
    async fn log_attempts(&mut self, attempts: &[DeliveryAttempt]) -> Result<(), StoreError>;

    /// Sets the due time of a message and leaves its claim in force. Returns whether the claim was still valid.
    async fn postpone(&mut self, claim: ClaimedMail, due_at: OffsetDateTime) -> Result<bool, StoreError>;

    /// Removes claimed messages from the queue. `claims` must not repeat a claim. Returns the claims that were still
    /// valid.
    async fn remove(&mut self, claims: &[ClaimedMail]) -> Result<Vec<ClaimedMail>, StoreError>;

    /// Holds a slice of queued messages; no claim selects them until they are resumed. Claimed messages stay claimed
    /// and are held when deferred. Returns the start of the next slice, `None` after the last one.
    async fn suspend(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError>;

    /// Resumes a slice of held messages with their previous due times, except those of a suspended organization or a
    /// paused inbox. Returns the start of the next slice, `None` after the last one.
    async fn resume(&mut self, slice: &QueueSlice) -> Result<Option<OutgoingId>, StoreError>;

    /// Removes and returns up to `limit` messages accepted at or before a time, claimed ones included.
    async fn take_before(&mut self, at: OffsetDateTime, limit: u32) -> Result<Vec<QueuedMail>, StoreError>;

    /// Stores a captured message and deletes all but the newest thousand.
    async fn capture(&mut self, mail: &CapturedMail) -> Result<(), StoreError>;
}
