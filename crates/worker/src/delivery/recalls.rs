//! Recall of messages in progress, when their inbox is paused, their organization suspended, or the queue held.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::model::{InboxId, OrganizationId, OutgoingId, QueuedMail};
use inboxd_core::ports::{HeldMail, QueueHolds, Recall, StoreError};

/// The time between two reads of the holds while messages are in progress.
const RECALL_INTERVAL: Duration = Duration::from_millis(250);
/// The time otherwise: a held queue is known within a second, before a message is claimed.
const IDLE_INTERVAL: Duration = Duration::from_millis(750);

/// The messages in progress of this process, and whether the whole queue is held.
#[derive(Default)]
pub(super) struct RecallRegistry {
    in_progress: Mutex<HashMap<OutgoingId, (OrganizationId, InboxId, Recall)>>,
    is_queue_held: AtomicBool,
}

/// A message in progress. Dropping it ends its registration.
pub(super) struct RecallGuard {
    outgoing_id: OutgoingId,
    recalls: Arc<RecallRegistry>,
    /// Shows whether the message is recalled.
    pub(super) recall: Recall,
}

impl RecallRegistry {
    /// Registers a message. Codes are never recalled.
    pub(super) fn register(self: &Arc<Self>, mail: &QueuedMail) -> RecallGuard {
        let recall = Recall::default();
        if !mail.is_code {
            // An invitation belongs to no inbox.
            let inbox_id = mail.message.as_ref().map(|message| message.inbox_id.clone());
            let inbox_id = inbox_id.unwrap_or_else(|| InboxId::stored(String::new()));
            self.in_progress().insert(mail.outgoing_id, (mail.organization_id, inbox_id, recall.clone()));
        }
        RecallGuard { outgoing_id: mail.outgoing_id, recalls: Arc::clone(self), recall }
    }

    /// Returns whether the whole queue was held at the last read.
    pub(super) fn is_queue_held(&self) -> bool {
        self.is_queue_held.load(Ordering::SeqCst)
    }

    /// Reads the holds, and recalls the messages that they name.
    pub(super) async fn read(&self, holds: &dyn QueueHolds) -> Result<(), StoreError> {
        let inboxes: Vec<_> = self.in_progress().values().map(|(of, inbox_id, _)| (*of, inbox_id.clone())).collect();
        let held = holds.held_mail(&inboxes).await?;
        self.apply(&held);
        Ok(())
    }

    /// Reads the holds at an interval, without end.
    pub(super) async fn watch(&self, holds: &dyn QueueHolds) {
        loop {
            let interval = if self.in_progress().is_empty() { IDLE_INTERVAL } else { RECALL_INTERVAL };
            tokio::time::sleep(interval).await;
            if let Err(error) = self.read(holds).await {
                tracing::debug!(%error, "hold query failed");
            }
        }
    }

    fn apply(&self, held: &HeldMail) {
        self.is_queue_held.store(held.queue_since.is_some(), Ordering::SeqCst);
        for (organization_id, inbox_id, recall) in self.in_progress().values() {
            let is_held = |(of, held): &(OrganizationId, InboxId)| of == organization_id && held == inbox_id;
            if held.queue_since.is_some() || held.inboxes.iter().any(is_held) {
                recall.recall();
            }
        }
    }

    /// Recalls all messages but codes, because other processes may claim them. Returns how many were not recalled before.
    pub(super) fn recall_all(&self) -> usize {
        let in_progress = self.in_progress();
        let recalled = in_progress.values().filter(|(.., recall)| !recall.is_recalled());
        recalled.inspect(|(.., recall)| recall.recall()).count()
    }

    /// Locks the map, which stays whole even when a holder of the lock has panicked.
    fn in_progress(&self) -> MutexGuard<'_, HashMap<OutgoingId, (OrganizationId, InboxId, Recall)>> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RecallGuard {
    fn drop(&mut self) {
        self.recalls.in_progress().remove(&self.outgoing_id);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use time::OffsetDateTime;

    use super::super::limits::fixtures::message;
    use super::*;

    fn held(mail: &QueuedMail) -> HeldMail {
        let inbox_id = mail.message.as_ref().unwrap().inbox_id.clone();
        HeldMail { queue_since: None, inboxes: vec![(mail.organization_id, inbox_id)] }
    }

    #[test]
    fn held_inbox_recalls_its_messages() {
        let recalls = Arc::new(RecallRegistry::default());
        let (mail, other) = (message(1, ""), message(2, ""));
        let (first, second) = (recalls.register(&mail), recalls.register(&other));
        recalls.apply(&held(&mail));
        assert_eq!((first.recall.is_recalled(), second.recall.is_recalled()), (true, false));
        drop((first, second));
        assert!(recalls.in_progress().is_empty());
    }

    #[test]
    fn message_is_recalled_once() {
        let recalls = Arc::new(RecallRegistry::default());
        let first = recalls.register(&message(1, ""));
        assert_eq!((recalls.recall_all(), first.recall.is_recalled()), (1, true));
        let second = recalls.register(&message(2, ""));
        assert_eq!((recalls.recall_all(), second.recall.is_recalled()), (1, true));
    }

    #[test]
    fn held_queue_recalls_all_messages_but_codes() {
        let recalls = Arc::new(RecallRegistry::default());
        let own = QueuedMail { message: None, is_code: true, ..message(2, "") };
        let (first, own) = (recalls.register(&message(1, "")), recalls.register(&own));
        recalls.apply(&HeldMail { queue_since: Some(OffsetDateTime::UNIX_EPOCH), inboxes: Vec::new() });
        assert!(recalls.is_queue_held());
        assert_eq!((first.recall.is_recalled(), own.recall.is_recalled()), (true, false));
    }
}
