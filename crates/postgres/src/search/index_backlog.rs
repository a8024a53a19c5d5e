//! Inboxes with enough unindexed messages for a flush.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_core::ports::IndexedInbox;
use tokio::sync::Notify;

/// Minimum unindexed messages of a flush: a scan of fewer takes less time than a query of another segment.
pub(super) const MIN_FLUSH_MESSAGES: usize = 64;

/// Maximum inboxes in memory. The periodic search of all inboxes finds any that were evicted.
const MAX_INBOXES: usize = 20_000;

/// Unindexed messages of this process's units of work.
#[derive(Default)]
pub(crate) struct BacklogCounts {
    state: Mutex<BacklogState>,
    bell: Notify,
    /// Total of added messages.
    added: AtomicU64,
}

#[derive(Default)]
struct BacklogState {
    /// Number of messages of each inbox below the threshold.
    counts: BTreeMap<IndexedInbox, usize>,
    /// Inboxes with enough messages.
    due: BTreeSet<IndexedInbox>,
}

impl BacklogCounts {
    /// Adds the committed messages of each inbox.
    pub(crate) fn add(&self, committed: BTreeMap<IndexedInbox, usize>) {
        if committed.is_empty() {
            return;
        }
        let messages: usize = committed.values().sum();
        self.added.fetch_add(u64::try_from(messages).unwrap_or_default(), Ordering::Relaxed);
        let mut state = self.state();
        for (inbox, messages) in committed {
            let count = state.counts.remove(&inbox).unwrap_or_default() + messages;
            if count >= MIN_FLUSH_MESSAGES {
                state.due.insert(inbox);
            } else {
                state.counts.insert(inbox, count);
            }
        }
        if state.counts.len() > MAX_INBOXES {
            state.counts.clear();
        }
        while state.due.len() > MAX_INBOXES {
            state.due.pop_last();
        }
        if !state.due.is_empty() {
            self.bell.notify_one();
        }
    }

    /// Returns the total of added messages.
    pub(crate) fn added(&self) -> u64 {
        self.added.load(Ordering::Relaxed)
    }

    /// Waits for inboxes with enough messages, and removes and returns them.
    pub(crate) async fn take(&self) -> Vec<IndexedInbox> {
        loop {
            let taken = std::mem::take(&mut self.state().due);
            if !taken.is_empty() {
                return taken.into_iter().collect();
            }
            self.bell.notified().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, BacklogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
