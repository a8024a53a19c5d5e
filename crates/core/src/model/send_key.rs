//! Keys with which callers make a send repeatable (`wire.md`, section 1, `Idempotency-Key`).

use uuid::Uuid;

use super::{MessageId, OrganizationId, ThreadId};

/// What sending answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The id of the stored message.
    pub message_id: MessageId,
    /// Its thread.
    pub thread_id: ThreadId,
}

/// A key, and the request that it came with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendKey {
    /// Within this organization it means one request.
    pub organization_id: OrganizationId,
    /// The key, in the words of the caller.
    pub key: String,
    /// The SHA-256 of what makes the request this one and no other.
    pub request: [u8; 32],
}

/// The right to be the one who sends for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendClaim {
    /// The organization of the key.
    pub organization_id: OrganizationId,
    /// The key.
    pub key: String,
    /// What tells this claim from others of the same key.
    pub claim_id: Uuid,
}

/// A key that was used before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedKey {
    /// The request that used it.
    pub request: [u8; 32],
    /// What that was answered; `None` while it is running.
    pub sent: Option<Sent>,
}
