//! Permits for reads of raw messages, each of which needs a multiple of its size in memory.

use super::turn_queue::{QueueFull, TurnBounds, TurnPermit, TurnQueue};
use crate::Error;
use crate::model::OrganizationId;
use crate::ports::StoreError;

/// Maximum number of concurrent reads.
const MAX_LARGE_READS: usize = 4;
/// Maximum number of concurrent reads of one organization.
const MAX_ORGANIZATION_LARGE_READS: usize = 2;
/// Maximum number of waiting reads of one organization.
const MAX_WAITING_LARGE_READS: usize = 1_024;

/// Permits for reads of raw messages, granted to organizations in turns.
pub(crate) struct LargeReads(TurnQueue<OrganizationId>);

impl Default for LargeReads {
    fn default() -> Self {
        Self(TurnQueue::new(TurnBounds {
            running: MAX_LARGE_READS,
            running_each: MAX_ORGANIZATION_LARGE_READS,
            shared: MAX_LARGE_READS,
            waiting_each: MAX_WAITING_LARGE_READS,
        }))
    }
}

impl LargeReads {
    /// Waits for a permit of an organization.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when too many reads of the organization wait.
    pub(super) async fn acquire(&self, organization_id: OrganizationId) -> Result<TurnPermit<OrganizationId>, Error> {
        let entered = self.0.enter(organization_id).await;
        entered.map_err(|QueueFull| StoreError::Unavailable("too many reads of whole mails wait".to_owned()).into())
    }
}
