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
/// of processes may do them at once, and one that is broken off leaves what was before. A store that needs no index for this
/// has nothing to do.
#[async_trait]
pub trait SearchIndex {
    /// Makes a new segment of messages of an inbox, the oldest of those that wait, where enough of them do. Answers whether
    /// there may be more to do.
    async fn index_some(&self, _inbox: &IndexedInbox, _segment_id: Uuid) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Makes a new segment out of several of an inbox, where there are too many. After each of its steps it rests so many
    /// times as long as the step took. Answers whether there may be more to do.
    async fn merge_some(&self, _inbox: &IndexedInbox, _segment_id: Uuid, _rest: u32) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Up to so many inboxes in which enough messages wait to be indexed, behind this one in an order of its own.
    async fn inboxes_to_index(
        &self,
        _after: Option<&IndexedInbox>,
        _limit: u32,
    ) -> Result<Vec<IndexedInbox>, StoreError> {
        Ok(Vec::new())
    }
}

/// Messages that units of work of this process have stored and that are not indexed yet.
#[async_trait]
pub trait IndexBacklog: Send + Sync {
    /// Waits for inboxes with enough unindexed messages and returns them, each once.
    async fn due_to_index(&self) -> Vec<IndexedInbox>;

    /// Returns the number of messages that this process has stored. It grows while mail arrives.
    fn left_to_index(&self) -> u64;
}
