//! Recall of mail in hand: its inbox may be paused, its organization suspended, or the queue held while it is on its way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::model::{InboxId, OrganizationId, Outgoing, OutgoingId};
use inboxd_core::ports::{Recall, StoreError};
use inboxd_postgres::{HeldMail, PgStore};

/// How often holds are read while mail is in hand.
const RECALL_INTERVAL: Duration = Duration::from_millis(250);
/// How often they are read otherwise, so that a held queue is known within a second before mail comes to hand.
const IDLE_INTERVAL: Duration = Duration::from_millis(750);

/// The messages in hand of this process, and whether the whole queue is held.
#[derive(Default)]
pub(super) struct Recalls {
    in_hand: Mutex<HashMap<OutgoingId, (OrganizationId, InboxId, Recall)>>,
    is_queue_held: AtomicBool,
}

/// A mail in hand. It is forgotten when this is dropped.
pub(super) struct InHand {
    outgoing_id: OutgoingId,
    recalls: Arc<Recalls>,
    /// Whether it may still leave.
    pub(super) recall: Recall,
}

impl Recalls {
    /// Takes a mail into hand. Codes are never recalled.
    pub(super) fn take(self: &Arc<Self>, mail: &Outgoing) -> InHand {
        let recall = Recall::default();
        if !mail.is_code {
            // An invitation is of no inbox.
            let inbox_id = mail.message.as_ref().map(|message| message.inbox_id.clone());
            let inbox_id = inbox_id.unwrap_or_else(|| InboxId::stored(String::new()));
            self.in_hand().insert(mail.outgoing_id, (mail.organization_id, inbox_id, recall.clone()));
        }
        InHand { outgoing_id: mail.outgoing_id, recalls: Arc::clone(self), recall }
    }

    /// Returns whether the whole queue is held, as was read last.
    pub(super) fn is_queue_held(&self) -> bool {
        self.is_queue_held.load(Ordering::SeqCst)
    }

    /// Reads the holds, and recalls what they hold.
    pub(super) async fn look(&self, store: &PgStore) -> Result<(), StoreError> {
        let inboxes: Vec<_> = self.in_hand().values().map(|(of, inbox_id, _)| (*of, inbox_id.clone())).collect();
        let held = store.held_mail(&inboxes).await?;
        self.apply(&held);
        Ok(())
    }

    /// Reads the holds for as long as it is polled.
    pub(super) async fn watch(&self, store: &PgStore) {
        loop {
            let interval = if self.in_hand().is_empty() { IDLE_INTERVAL } else { RECALL_INTERVAL };
            tokio::time::sleep(interval).await;
            if let Err(error) = self.look(store).await {
                tracing::debug!(%error, "hold query failed");
            }
        }
    }

    fn apply(&self, held: &HeldMail) {
        self.is_queue_held.store(held.queue_since.is_some(), Ordering::SeqCst);
        for (organization_id, inbox_id, recall) in self.in_hand().values() {
            let is_held = |(of, held): &(OrganizationId, InboxId)| of == organization_id && held == inbox_id;
            if held.queue_since.is_some() || held.inboxes.iter().any(is_held) {
                recall.recall();
            }
        }
    }

    /// Recalls all mail in hand but codes: others may take it over. Returns how many were not recalled before.
    pub(super) fn recall_all(&self) -> usize {
        let in_hand = self.in_hand();
        let recalled = in_hand.values().filter(|(.., recall)| !recall.is_recalled());
        recalled.inspect(|(.., recall)| recall.recall()).count()
    }

    /// Nothing is done under this lock that could fail half way.
    fn in_hand(&self) -> MutexGuard<'_, HashMap<OutgoingId, (OrganizationId, InboxId, Recall)>> {
        self.in_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InHand {
    fn drop(&mut self) {
        self.recalls.in_hand().remove(&self.outgoing_id);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use time::OffsetDateTime;

    use super::super::room::fixtures::message;
    use super::*;

    fn held(mail: &Outgoing) -> HeldMail {
        let inbox_id = mail.message.as_ref().unwrap().inbox_id.clone();
        HeldMail { queue_since: None, inboxes: vec![(mail.organization_id, inbox_id)] }
    }

    #[test]
    fn held_inbox_recalls_its_mail_in_hand() {
        let recalls = Arc::new(Recalls::default());
        let (mail, other) = (message(1, ""), message(2, ""));
        let (first, second) = (recalls.take(&mail), recalls.take(&other));
        recalls.apply(&held(&mail));
        assert_eq!((first.recall.is_recalled(), second.recall.is_recalled()), (true, false));
        drop((first, second));
        assert!(recalls.in_hand().is_empty());
    }

    #[test]
    fn mail_in_hand_is_recalled_once() {
        let recalls = Arc::new(Recalls::default());
        let first = recalls.take(&message(1, ""));
        assert_eq!((recalls.recall_all(), first.recall.is_recalled()), (1, true));
        let second = recalls.take(&message(2, ""));
        assert_eq!((recalls.recall_all(), second.recall.is_recalled()), (1, true));
    }

    #[test]
    fn held_queue_recalls_all_mail_but_codes() {
        let recalls = Arc::new(Recalls::default());
        let own = Outgoing { message: None, is_code: true, ..message(2, "") };
        let (first, own) = (recalls.take(&message(1, "")), recalls.take(&own));
        recalls.apply(&HeldMail { queue_since: Some(OffsetDateTime::UNIX_EPOCH), inboxes: Vec::new() });
        assert!(recalls.is_queue_held());
        assert_eq!((first.recall.is_recalled(), own.recall.is_recalled()), (true, false));
    }
}
