//! Standbys: copies of storage that may lag behind.

use std::sync::Arc;
use std::time::Duration;

use super::Store;

/// A standby chosen for one request.
#[derive(Clone)]
pub struct StandbyRead {
    /// Storage that reads from the standby. Its units of work begin on the primary.
    pub store: Arc<dyn Store>,
    /// Upper bound of the staleness: the standby has every commit that was confirmed longer ago.
    pub staleness: Duration,
    /// Number of the standby, for [`Standbys::report_failure`].
    pub number: usize,
}

/// The standbys of storage.
pub trait Standbys: Send + Sync {
    /// Returns a standby that is at most so stale, and no staler than the operator permits; `None` if there is none.
    fn choose(&self, max_staleness: Duration) -> Option<StandbyRead>;

    /// Reports a failed read. The standby is measured at once, and excluded if that fails as well: the failure may be one of
    /// the request.
    fn report_failure(&self, number: usize);
}
