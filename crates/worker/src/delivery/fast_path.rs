//! The fast path: messages that go to the worker as soon as they are queued.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inboxd_core::model::{Claim, QueuedMail};
use inboxd_core::ports::{Courier, Departure, WorkJournal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::limits::{DeliveryLimits, DeliveryPermit};
use super::recalls::RecallRegistry;
use crate::journal::FileJournal;

/// Work that reaches the worker past the queue.
pub(super) enum DispatchedWork {
    /// A message that is queued and claimed.
    Mail {
        /// The message.
        mail: Box<QueuedMail>,
        /// Its content.
        raw: Vec<u8>,
        /// Its permit.
        permit: DeliveryPermit,
    },
    /// A claim that may have been committed by a cancelled request.
    Claim(Claim),
}

/// Dispatches messages to the worker of this process, at most as many as it has permits.
pub(crate) struct FastPath {
    limits: Arc<DeliveryLimits>,
    recalls: Arc<RecallRegistry>,
    journal: Arc<FileJournal>,
    /// The channel to the worker; `None` once the worker stops.
    channel: Mutex<Option<UnboundedSender<DispatchedWork>>>,
}

impl FastPath {
    /// Creates the fast path to the worker with these limits, and its receiving end.
    pub(super) fn new(
        limits: Arc<DeliveryLimits>,
        recalls: Arc<RecallRegistry>,
        journal: Arc<FileJournal>,
    ) -> (Self, UnboundedReceiver<DispatchedWork>) {
        let (channel, dispatches) = unbounded_channel();
        (Self { limits, recalls, journal, channel: Mutex::new(Some(channel)) }, dispatches)
    }

    /// Accepts no more messages. The channel ends when every reserved slot is used or dropped.
    pub(super) fn close(&self) {
        self.channel().take();
    }

    /// Locks the channel, which stays whole even when a holder of the lock has panicked.
    fn channel(&self) -> MutexGuard<'_, Option<UnboundedSender<DispatchedWork>>> {
        self.channel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Courier for FastPath {
    fn departure(&self, mail: &QueuedMail, bytes: usize) -> Option<Box<dyn Departure>> {
        if !mail.is_code && self.recalls.is_queue_held() {
            return None;
        }
        // A message waits in the queue while the journal cannot record its claim.
        let channel = self.channel().clone().filter(|_| self.journal.is_writable())?;
        let permit = self.limits.acquire_immediate(mail, bytes)?;
        Some(Box::new(ReservedSlot { permit, channel }))
    }

    fn journal(&self) -> &dyn WorkJournal {
        self.journal.as_ref()
    }

    fn finish(&self, claim: Claim) {
        if let Some(channel) = self.channel().as_ref() {
            // The receiving end outlives the channel. The journal retains the claims of a stopped worker.
            let _ = channel.send(DispatchedWork::Claim(claim));
        }
    }
}

/// The slot of a message that is being queued.
struct ReservedSlot {
    permit: DeliveryPermit,
    channel: UnboundedSender<DispatchedWork>,
}

impl Departure for ReservedSlot {
    fn go(self: Box<Self>, mail: QueuedMail, raw: Vec<u8>) {
        let Self { permit, channel } = *self;
        // The worker runs while a channel exists; otherwise the journal retains the claim.
        let _ = channel.send(DispatchedWork::Mail { mail: Box::new(mail), raw, permit });
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use uuid::Uuid;

    use super::super::limits::fixtures::message;
    use super::*;

    fn fast_path() -> (tempfile::TempDir, Arc<DeliveryLimits>, FastPath, UnboundedReceiver<DispatchedWork>) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(FileJournal::begin(folder.path(), Uuid::nil()).unwrap());
        let limits = Arc::new(DeliveryLimits::new(false));
        limits.open();
        let (fast_path, dispatches) = FastPath::new(Arc::clone(&limits), Arc::default(), journal);
        (folder, limits, fast_path, dispatches)
    }

    #[tokio::test]
    async fn reserved_slot_is_used_after_close_and_no_other_is_reserved() {
        let (_folder, limits, fast_path, mut dispatches) = fast_path();
        let mail = message(1, "");
        let slot = fast_path.departure(&mail, 3).unwrap();
        let unused = fast_path.departure(&mail, 3).unwrap();
        fast_path.close();
        assert!(fast_path.departure(&mail, 3).is_none());
        drop(unused);
        slot.go(mail.clone(), b"raw".to_vec());
        let Some(DispatchedWork::Mail { mail: received, raw, permit }) = dispatches.recv().await else {
            panic!("the message was not dispatched")
        };
        assert_eq!((*received, raw.as_slice(), limits.free()), (mail, &b"raw"[..], 33));
        drop(permit);
        assert!(dispatches.recv().await.is_none(), "the channel has ended");
        assert_eq!(limits.free(), 34);
    }

    #[tokio::test]
    async fn claim_of_cancelled_request_reaches_the_worker() {
        let (_folder, _, fast_path, mut dispatches) = fast_path();
        let claim = Claim::Mail((&message(1, "")).into());
        fast_path.finish(claim);
        assert!(matches!(dispatches.recv().await, Some(DispatchedWork::Claim(found)) if found == claim));
    }
}
