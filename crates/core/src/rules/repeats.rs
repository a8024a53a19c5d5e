//! Recognising a mail that a server sends again because our answer got lost (`wire.md`, section 3, Message item).

use inboxd_mail::EmailAddress;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::model::MessageId;

/// What identifies a mail: its octets and its envelope sender.
#[must_use]
pub fn digest(envelope_from: Option<&EmailAddress>, raw: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(envelope_from.map(EmailAddress::normalized).unwrap_or_default());
    hash.update([0]);
    hash.update(raw);
    hash.finalize().into()
}

/// What to do with a mail whose Message-ID was seen before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// It is a repeat: it was stored before.
    Repeat,
    /// It is new: store it under this id.
    New {
        /// Its id in the inbox.
        message_id: MessageId,
        /// The Message-ID it came with, where that is another.
        header_message_id: Option<MessageId>,
    },
}

/// Decides what a mail is, from the Message-ID it came with and the digests of the live messages that have that id, or came
/// with it and were given another. Mail that was sent from here has no digest.
#[must_use]
pub fn arrival(came_with: MessageId, digest: &[u8; 32], known: &[Option<[u8; 32]>], domain: &str) -> Arrival {
    if known.iter().any(|known| known.as_ref() == Some(digest)) {
        return Arrival::Repeat;
    }
    if known.is_empty() {
        return Arrival::New { message_id: came_with, header_message_id: None };
    }
    Arrival::New { message_id: other_id(digest, domain), header_message_id: Some(came_with) }
}

/// The id for a second mail with a known Message-ID. It is made from its digest, so that even two copies of it that arrive
/// at the same instant get the same id and only one can be stored.
#[must_use]
pub fn other_id(digest: &[u8; 32], domain: &str) -> MessageId {
    let mut octets = [0; 16];
    octets.copy_from_slice(&digest[..16]);
    MessageId::minted(uuid::Builder::from_custom_bytes(octets).into_uuid(), domain)
}

/// The id for a mail that came without a usable Message-ID.
#[must_use]
pub fn minted(unique: Uuid, domain: &str) -> Arrival {
    Arrival::New { message_id: MessageId::minted(unique, domain), header_message_id: None }
}
