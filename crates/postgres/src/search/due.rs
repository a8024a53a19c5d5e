//! Which inboxes have enough mail that is not indexed yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_core::ports::IndexedInbox;
use tokio::sync::Notify;

use super::LEAST;

/// How many inboxes are remembered at most. What is forgotten is found by whoever looks through all inboxes.
const MOST: usize = 20_000;

/// What units of work of this process have left to be indexed, until somebody asks.
#[derive(Default)]
pub(crate) struct Due {
    state: Mutex<State>,
    bell: Notify,
    /// How many messages were ever added.
    added: AtomicU64,
}

#[derive(Default)]
struct State {
    /// How many messages each of the others has.
    counts: BTreeMap<IndexedInbox, usize>,
    /// Those that have enough.
    due: BTreeSet<IndexedInbox>,
}

impl Due {
    /// Adds what was committed: so many messages of each inbox.
    pub(crate) fn add(&self, committed: BTreeMap<IndexedInbox, usize>) {
        if committed.is_empty() {
            return;
        }
        let messages: usize = committed.values().sum();
        self.added.fetch_add(u64::try_from(messages).unwrap_or_default(), Ordering::Relaxed);
        let mut state = self.state();
        for (inbox, messages) in committed {
            let count = state.counts.remove(&inbox).unwrap_or_default() + messages;
            if count >= LEAST {
                state.due.insert(inbox);
            } else {
                state.counts.insert(inbox, count);
            }
        }
        if state.counts.len() > MOST {
            state.counts.clear();
        }
        while state.due.len() > MOST {
            state.due.pop_last();
        }
        if !state.due.is_empty() {
            self.bell.notify_one();
        }
    }

    /// How many messages were ever added.
    pub(crate) fn added(&self) -> u64 {
        self.added.load(Ordering::Relaxed)
    }

    /// Waits until there are inboxes with enough messages, and takes them all.
    pub(crate) async fn take(&self) -> Vec<IndexedInbox> {
        loop {
            let taken = std::mem::take(&mut self.state().due);
            if !taken.is_empty() {
                return taken.into_iter().collect();
            }
            self.bell.notified().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
