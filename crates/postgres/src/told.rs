//! Who has to be told of what was committed.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use inboxd_core::ports::{Sequenced, Signal};
use tokio::sync::Notify;

/// What units of work of a process have committed that others may wait for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Where to look. [`Signal::Feed`] says here that there are events without a place in a feed.
    pub signals: BTreeSet<Signal>,
    /// Events that had their places with the commit.
    pub placed: Vec<Sequenced>,
}

/// What was committed, until somebody asks.
#[derive(Default)]
pub(crate) struct Told {
    committed: Mutex<Committed>,
    bell: Notify,
}

impl Told {
    /// Adds what was committed, if it is anything.
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

    /// Takes all that there is now.
    pub(crate) fn take_now(&self) -> Committed {
        std::mem::take(&mut *self.committed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until there is something, and takes it all.
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
