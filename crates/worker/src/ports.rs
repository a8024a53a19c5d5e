//! The storage ports that workers use beside [`App`](inboxd_core::app::App).

use std::sync::Arc;

use inboxd_core::ports::{
    BacklogReads, BlobRows, CommitWatch, EventPartitions, IndexBacklog, QueueHolds, Signals, StsPolicyStore,
};

/// Storage ports that no use case needs. Clones share them.
#[derive(Clone)]
pub struct WorkerPorts {
    pub(crate) commits: Arc<dyn CommitWatch>,
    pub(crate) signals: Arc<dyn Signals>,
    pub(crate) partitions: Arc<dyn EventPartitions>,
    pub(crate) holds: Arc<dyn QueueHolds>,
    pub(crate) backlog: Arc<dyn IndexBacklog>,
    pub(crate) sts_policies: Arc<dyn StsPolicyStore>,
    pub(crate) backlog_sizes: Arc<dyn BacklogReads>,
    pub(crate) blob_rows: Arc<dyn BlobRows>,
}

impl WorkerPorts {
    /// Creates the ports of one store.
    pub fn of<S>(store: &Arc<S>) -> Self
    where
        S: CommitWatch
            + Signals
            + EventPartitions
            + QueueHolds
            + IndexBacklog
            + StsPolicyStore
            + BacklogReads
            + BlobRows
            + 'static,
    {
        Self {
            commits: Arc::clone(store) as _,
            signals: Arc::clone(store) as _,
            partitions: Arc::clone(store) as _,
            holds: Arc::clone(store) as _,
            backlog: Arc::clone(store) as _,
            sts_policies: Arc::clone(store) as _,
            backlog_sizes: Arc::clone(store) as _,
            blob_rows: Arc::clone(store) as _,
        }
    }
}
