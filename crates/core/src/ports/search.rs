//! Maintenance of the search index.

use async_trait::async_trait;
use inboxd_port_macros::port;
use uuid::Uuid;

use super::StoreError;
use crate::model::{InboxId, OrganizationId};

/// An inbox with indexed messages.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexedInbox {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
}

/// Maintenance of the search index. Search results do not depend on it. Each call is its own transaction, and several
/// processes may call it at once.
#[port]
pub trait SearchIndex {
    /// Writes a new segment of the oldest pending messages of an inbox, if there are enough. Returns whether more work
    /// may remain.
    async fn index_some(&self, inbox: &IndexedInbox, segment_id: Uuid) -> Result<bool, StoreError>;

    /// Merges several segments of an inbox into a new one, if there are too many. Pauses after each step for `rest`
    /// times its duration. Returns whether more work may remain.
    async fn merge_some(&self, inbox: &IndexedInbox, segment_id: Uuid, rest: u32) -> Result<bool, StoreError>;

    /// Returns up to `limit` inboxes after `after` with enough pending messages, in the order of the index.
    async fn inboxes_to_index(&self, after: Option<IndexedInbox>, limit: u32) -> Result<Vec<IndexedInbox>, StoreError>;
}

/// Unindexed messages stored by units of work of this process.
#[async_trait]
pub trait IndexBacklog: Send + Sync {
    /// Waits for inboxes with enough unindexed messages and returns each once.
    async fn due_to_index(&self) -> Vec<IndexedInbox>;

    /// Returns the total number of messages committed by this process. It grows while messages arrive.
    fn left_to_index(&self) -> u64;
}
