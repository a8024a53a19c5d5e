//! Whether what an answer was made from is still as it was.

use async_trait::async_trait;

use super::StoreError;
use crate::model::{ApiKeyId, InboxId, MemberId, MessageId, OrganizationId};

/// What an answer was made from: whoever asked, the inbox, and messages in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The key that asked.
    pub api_key_id: ApiKeyId,
    /// The person whose key it is.
    pub member_id: Option<MemberId>,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The messages.
    pub messages: SourceMessages,
}

/// Which messages of an inbox an answer was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceMessages {
    /// This one, with its bodies.
    One(MessageId),
    /// So many of the newest that carry no hiding label, and whether there are more; without their bodies.
    Newest(u32),
}

/// The versions of all that an answer was made from, at one moment. Where they are equal at two moments, nothing of it has
/// changed between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions(Box<[u8]>);

impl Versions {
    /// Versions as storage tells them apart.
    #[must_use]
    pub fn of(octets: Vec<u8>) -> Self {
        Self(octets.into())
    }

    /// How many octets they take.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// Questions about versions.
#[async_trait]
pub trait VersionReads {
    /// The versions at this moment, whoever changed what and in which process; nothing where something of it is gone. This is
    /// much cheaper to ask than for what the answer is made from.
    async fn versions(&self, sources: &Sources) -> Result<Option<Versions>, StoreError>;
}
