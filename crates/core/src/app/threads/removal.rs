//! Permanent deletion of messages from a thread.

use time::OffsetDateTime;

use super::walk::{Walk, summed_up};
use crate::model::{HidingLabels, MessageId, MessageItem, Thread, ThreadSum, UsageChange};
use crate::ports::{StoreError, Tx};

/// Deletes a message of a locked thread, and the thread with its last message. The storage usage decreases at once.
pub(in crate::app) async fn remove(
    tx: &mut dyn Tx,
    thread: Thread,
    message: &MessageItem,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut gone = Gone::default();
    gone.delete(tx, &thread, &[message]).await?;
    let left = summed_up(tx, thread.clone(), now).await?;
    gone.finish(tx, &thread, left).await
}

/// Deletes the visible messages of a locked thread page by page, and the thread if none is left.
pub(super) async fn remove_all(
    tx: &mut dyn Tx,
    thread: Thread,
    readable: HidingLabels,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let (mut walk, mut gone, mut left) = (Walk::new(), Gone::default(), ThreadSum::default());
    loop {
        let page = walk.next(tx, &thread).await?;
        if page.is_empty() {
            break;
        }
        let (shown, hidden): (Vec<&MessageItem>, Vec<&MessageItem>) =
            page.iter().partition(|message| HidingLabels::of(&message.labels).shown_to(readable));
        gone.delete(tx, &thread, &shown).await?;
        left = hidden.into_iter().fold(left, ThreadSum::with);
    }
    gone.finish(tx, &thread, left.of(thread.clone(), now)).await
}

/// Totals of the deleted messages.
#[derive(Default)]
struct Gone {
    bytes: u64,
    messages: usize,
}

impl Gone {
    async fn delete(&mut self, tx: &mut dyn Tx, thread: &Thread, messages: &[&MessageItem]) -> Result<(), StoreError> {
        if messages.is_empty() {
            return Ok(());
        }
        let ids: Vec<MessageId> = messages.iter().map(|message| message.message_id.clone()).collect();
        tx.messages().delete(thread.organization_id, &thread.inbox_id, &ids).await?;
        self.bytes += messages.iter().map(|message| message.size).sum::<u64>();
        self.messages += ids.len();
        Ok(())
    }

    /// Stores the remaining thread, or deletes it, and updates the usage.
    async fn finish(self, tx: &mut dyn Tx, thread: &Thread, left: Option<Thread>) -> Result<(), StoreError> {
        let Thread { organization_id, inbox_id, thread_id, .. } = thread;
        match &left {
            Some(left) => tx.threads().update(std::slice::from_ref(left)).await?,
            None => tx.threads().delete(*organization_id, inbox_id, *thread_id).await?,
        }
        let change = UsageChange {
            storage_bytes: -i64::try_from(self.bytes).unwrap_or(i64::MAX),
            messages: -i64::try_from(self.messages).unwrap_or(i64::MAX),
            threads: -i64::from(left.is_none()),
        };
        tx.usage().change(&[(*organization_id, inbox_id.clone(), change)]).await
    }
}
