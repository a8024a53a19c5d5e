//! Notifications after commits.

use std::sync::{Mutex, PoisonError};

use inboxd_core::ports::CommittedChanges;
use tokio::sync::Notify;

/// Signals and events that no caller received yet.
#[derive(Default)]
pub(crate) struct CommittedQueue {
    committed: Mutex<CommittedChanges>,
    bell: Notify,
}

impl CommittedQueue {
    /// Adds signals and events of a commit, if there are any.
    pub(crate) fn add(&self, new: CommittedChanges) {
        if new == CommittedChanges::default() {
            return;
        }
        let mut committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        committed.signals.extend(new.signals);
        committed.placed.extend(new.placed);
        drop(committed);
        self.bell.notify_one();
    }

    /// Removes and returns all present ones.
    pub(crate) fn take_now(&self) -> CommittedChanges {
        std::mem::take(&mut *self.committed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for the next ones, and removes and returns all.
    pub(crate) async fn take(&self) -> CommittedChanges {
        loop {
            let taken = self.take_now();
            if taken != CommittedChanges::default() {
                return taken;
            }
            self.bell.notified().await;
        }
    }
}
