//! Idempotency keys of sends (`wire.md`, section 1, `Idempotency-Key`).

use uuid::Uuid;

use super::{DraftId, MessageId, OrganizationId, ThreadId};

/// Result of a send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    /// Id of the stored message.
    pub message_id: MessageId,
    /// Thread of the message.
    pub thread_id: ThreadId,
    /// Draft that waits for an approval, where a policy held the message.
    pub held: Option<DraftId>,
}

/// An idempotency key and the request that uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Organization in which the key identifies one request.
    pub organization_id: OrganizationId,
    /// Key, as the caller wrote it.
    pub key: String,
    /// SHA-256 of the identifying parts of the request.
    pub request: [u8; 32],
}

/// Exclusive right to send for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyClaim {
    /// Organization of the key.
    pub organization_id: OrganizationId,
    /// The key.
    pub key: String,
    /// Id that distinguishes this claim from others of the key.
    pub claim_id: Uuid,
}

/// A key with an earlier request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedKey {
    /// Digest of the request that used it.
    pub request: [u8; 32],
    /// Result of that request; `None` while it runs.
    pub sent: Option<SendResult>,
}
