//! Upkeep of the search index.

use async_trait::async_trait;
use inboxd_port_macros::port;
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

/// Upkeep of the search index. What a search finds does not depend on it. Each method is complete in itself, and several
/// processes may call them at once.
#[port]
pub trait SearchIndex {
    /// Writes a new segment of the oldest pending messages of an inbox, when there are enough of them. Returns whether there
    /// may be more to do.
    async fn index_some(&self, inbox: &IndexedInbox, segment_id: Uuid) -> Result<bool, StoreError>;

    /// Merges several segments of an inbox into a new one, when there are too many. After each step it rests `rest` times as
    /// long as the step took. Returns whether there may be more to do.
    async fn merge_some(&self, inbox: &IndexedInbox, segment_id: Uuid, rest: u32) -> Result<bool, StoreError>;

    /// Returns up to `limit` inboxes in which enough messages are pending, behind `after` in an order of its own.
    async fn inboxes_to_index(&self, after: Option<IndexedInbox>, limit: u32) -> Result<Vec<IndexedInbox>, StoreError>;
}

/// Messages that units of work of this process have stored and that are not indexed yet.
#[async_trait]
pub trait IndexBacklog: Send + Sync {
    /// Waits for inboxes with enough unindexed messages and returns them, each once.
    async fn due_to_index(&self) -> Vec<IndexedInbox>;

    /// Returns the number of messages that this process has stored. It grows while mail arrives.
    fn left_to_index(&self) -> u64;
}
