//! Notifications after commits.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use inboxd_core::ports::{Sequenced, Signal};
use tokio::sync::Notify;

/// Signals and events of committed units of work of this process.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Signals to send. [`Signal::Feed`] means here that events have no position yet.
    pub signals: BTreeSet<Signal>,
    /// Events with positions from their commit.
    pub placed: Vec<Sequenced>,
}

/// Signals and events that no caller received yet.
#[derive(Default)]
pub(crate) struct Told {
    committed: Mutex<Committed>,
    bell: Notify,
}

impl Told {
    /// Adds signals and events of a commit, if there are any.
    pub(crate) fn add(&self, new: Committed) {
        if new == Committed::default() {
            return;
        }
        let mut committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        committed.signals.extend(new.signals);
        committed.placed.extend(new.placed);
        drop(committed);
        self.bell.notify_one();
    }

    /// Removes and returns all present ones.
    pub(crate) fn take_now(&self) -> Committed {
        std::mem::take(&mut *self.committed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the next ones, and removes and returns all.
    pub(crate) async fn take(&self) -> Committed {
        loop {
            let taken = self.take_now();
            if taken != Committed::default() {
                return taken;
            }
            self.bell.notified().await;
        }
    }
}
