//! Who has to be told of what was committed.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use inboxd_core::ports::Signal;
use tokio::sync::Notify;

/// What units of work of this process have committed that others may wait for, until somebody asks.
#[derive(Default)]
pub(crate) struct Told {
    signals: Mutex<BTreeSet<Signal>>,
    bell: Notify,
}

impl Told {
    /// Adds what was committed.
    pub(crate) fn add(&self, signals: BTreeSet<Signal>) {
        self.signals.lock().unwrap_or_else(PoisonError::into_inner).extend(signals);
        self.bell.notify_one();
    }

    /// Waits until there is something, and takes it all.
    pub(crate) async fn take(&self) -> Vec<Signal> {
        loop {
            let taken = std::mem::take(&mut *self.signals.lock().unwrap_or_else(PoisonError::into_inner));
            if !taken.is_empty() {
                return taken.into_iter().collect();
            }
            self.bell.notified().await;
        }
    }
}
