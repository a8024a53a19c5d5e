//! Detection of retransmitted messages after a lost SMTP reply (`wire.md`, section 3, Message item).

use inboxd_mail::EmailAddress;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::model::MessageId;

/// Returns the digest that identifies a message: of its bytes and its envelope sender.
#[must_use]
pub fn digest(envelope_from: Option<&EmailAddress>, raw: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(envelope_from.map(EmailAddress::normalized).unwrap_or_default());
    hash.update([0]);
    hash.update(raw);
    hash.finalize().into()
}

/// Decision about a received message with a known or new Message-ID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DedupDecision {
    /// A retransmission: the message is stored already.
    Duplicate,
    /// A new message to store under this id.
    New {
        /// Id in the inbox.
        message_id: MessageId,
        /// Original Message-ID, if it differs.
        header_message_id: Option<MessageId>,
    },
}

/// Decides whether a message is new, from its Message-ID and the digests of live messages with the same original id.
/// Messages sent from here have no digest.
#[must_use]
pub fn decide(came_with: MessageId, digest: &[u8; 32], known: &[Option<[u8; 32]>], domain: &str) -> DedupDecision {
    if known.iter().any(|known| known.as_ref() == Some(digest)) {
        return DedupDecision::Duplicate;
    }
    if known.is_empty() {
        return DedupDecision::New { message_id: came_with, header_message_id: None };
    }
    DedupDecision::New { message_id: derived_message_id(digest, domain), header_message_id: Some(came_with) }
}

/// Returns the id of a second message with a known Message-ID. It derives from the digest, so that two simultaneous
/// copies get the same id and only one can be stored.
#[must_use]
pub fn derived_message_id(digest: &[u8; 32], domain: &str) -> MessageId {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    MessageId::minted(uuid::Builder::from_custom_bytes(bytes).into_uuid(), domain)
}

/// Returns a generated id for a message without a usable Message-ID.
#[must_use]
pub fn generated_message_id(unique: Uuid, domain: &str) -> DedupDecision {
    DedupDecision::New { message_id: MessageId::minted(unique, domain), header_message_id: None }
}
