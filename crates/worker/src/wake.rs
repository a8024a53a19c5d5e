//! Wake-up signals for the workers of this process.

use std::sync::OnceLock;

use inboxd_core::ports::{Sequenced, Wake};
use tokio::sync::Notify;

/// A function that receives events with their new positions.
type OnSequenced = Box<dyn Fn(&Sequenced) + Send + Sync>;

/// Wakes the workers of this process. Workers of other processes find the work at their next poll.
#[derive(Default)]
pub struct WakeSignals {
    /// Wakes for messages in the outgoing queue.
    pub(crate) outgoing: Notify,
    /// Wakes for requested sign-in codes.
    pub(crate) sign_ins: Notify,
    /// Wakes for webhook deliveries.
    pub(crate) webhooks: Notify,
    /// Passes sequenced events to their readers, where this process has readers.
    on_sequenced: OnceLock<OnSequenced>,
}

impl WakeSignals {
    /// Passes sequenced events to a function from now on. The first function stays.
    pub fn on_sequenced(&self, publish: impl Fn(&Sequenced) + Send + Sync + 'static) {
        let _ = self.on_sequenced.set(Box::new(publish));
    }
}

impl Wake for WakeSignals {
    fn outgoing(&self) {
        self.outgoing.notify_one();
    }

    fn sign_ins(&self) {
        self.sign_ins.notify_one();
    }

    fn webhooks(&self) {
        self.webhooks.notify_one();
    }

    fn placed(&self, sequenced: Sequenced) {
        if sequenced.has_deliveries {
            self.webhooks();
        }
        if let Some(publish) = self.on_sequenced.get() {
            publish(&sequenced);
        }
    }
}
