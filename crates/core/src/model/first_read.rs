//! First reads of messages: who has seen a message.

use std::fmt;

use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{Actor, ApiKeyId, ConnectionId, FirstReadId, InboxId, MemberId, MessageId, OrganizationId};

string_enum! {
    /// Part of a message that a caller read.
    ReadPart {
        /// The message with its bodies.
        Message = "message",
        /// The raw content, or a link to it.
        Raw = "raw",
        /// An attachment, or a link to it.
        Attachment = "attachment",
    }
}

/// Reader of messages: a person, a client that a person connected, or a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReaderId {
    /// A member.
    Member(MemberId),
    /// A connection of a member.
    Connection(ConnectionId),
    /// An API key.
    ApiKey(ApiKeyId),
}

impl ReaderId {
    /// Returns the reader for which an author stands.
    #[must_use]
    pub fn of(actor: &Actor) -> Self {
        match actor {
            Actor::Member { connection_id: Some(connection_id), .. } => Self::Connection(*connection_id),
            Actor::Member { member_id, .. } => Self::Member(*member_id),
            Actor::ApiKey { api_key_id, .. } => Self::ApiKey(*api_key_id),
        }
    }
}

impl fmt::Display for ReaderId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(id) => id.fmt(formatter),
            Self::Connection(id) => id.fmt(formatter),
            Self::ApiKey(id) => id.fmt(formatter),
        }
    }
}

/// First read of a message by a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstRead {
    /// Id, sortable by time.
    pub read_id: FirstReadId,
    /// The owner.
    pub organization_id: OrganizationId,
    /// Inbox of the message.
    pub inbox_id: InboxId,
    /// The message.
    pub message_id: MessageId,
    /// The reader.
    pub reader: Actor,
    /// Part that was read.
    pub part: ReadPart,
    /// Time of the read.
    pub read_at: OffsetDateTime,
}
