//! Keeping the index behind searches.

use async_trait::async_trait;
use uuid::Uuid;

use super::StoreError;
use crate::model::{InboxId, OrganizationId};

/// An inbox whose messages are indexed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexedInbox {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
}

/// Acts that keep searches fast. What a search finds does not depend on any of them. Each is complete in itself, any number
/// of processes may do them at once, and one that is broken off leaves what was before.
#[async_trait]
pub trait SearchIndex {
    /// Makes a new segment of messages of an inbox, the oldest of those that wait, where enough of them do. Answers whether
    /// there may be more to do.
    async fn index_some(&self, inbox: &IndexedInbox, segment_id: Uuid) -> Result<bool, StoreError>;

    /// Makes a new segment out of several of an inbox, where there are too many. After each of its steps it rests `rest`
    /// times as long as the step took. Answers whether there may be more to do.
    async fn merge_some(&self, inbox: &IndexedInbox, segment_id: Uuid, rest: u32) -> Result<bool, StoreError>;

    /// Up to `limit` inboxes in which enough messages wait to be indexed, behind this one in an order of its own.
    async fn inboxes_to_index(&self, after: Option<&IndexedInbox>, limit: u32)
    -> Result<Vec<IndexedInbox>, StoreError>;
}
