//! Permanent deletion of messages from a thread.

use time::OffsetDateTime;

use super::walk::{Walk, summed_up};
use crate::model::{HidingLabels, Inbox, MessageId, MessageItem, Thread, ThreadSum, UsageChange};
use crate::ports::{StoreError, Tx};

/// Deletes messages of locked threads of one inbox, and the threads without other messages. The storage usage decreases
/// at once.
pub(in crate::app) async fn remove(
    tx: &mut dyn Tx,
    inbox: &Inbox,
    threads: Vec<Thread>,
    messages: &[MessageItem],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut gone = Gone::default();
    for thread in threads {
        let of_thread: Vec<&MessageItem> =
            messages.iter().filter(|message| message.thread_id == thread.thread_id).collect();
        if !of_thread.is_empty() {
            gone.delete(tx, &thread, &of_thread).await?;
            let left = summed_up(tx, thread.clone(), now).await?;
            gone.replace(tx, &thread, left).await?;
        }
    }
    gone.free(tx, inbox).await
}

/// Deletes the visible messages of a locked thread page by page, and the thread if none is left.
pub(super) async fn remove_all(
    tx: &mut dyn Tx,
    inbox: &Inbox,
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
    gone.replace(tx, &thread, left.of(thread.clone(), now)).await?;
    gone.free(tx, inbox).await
}

/// Totals of the deleted messages and threads.
#[derive(Default)]
struct Gone {
    bytes: u64,
    messages: usize,
    threads: i64,
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

    /// Stores the remaining thread, or deletes it.
    async fn replace(&mut self, tx: &mut dyn Tx, thread: &Thread, left: Option<Thread>) -> Result<(), StoreError> {
        if let Some(left) = left {
            return tx.threads().update(&[left]).await;
        }
        self.threads += 1;
        tx.threads().delete(thread.organization_id, &thread.inbox_id, thread.thread_id).await
    }

    /// Updates the usage.
    async fn free(self, tx: &mut dyn Tx, inbox: &Inbox) -> Result<(), StoreError> {
        let change = UsageChange {
            storage_bytes: -i64::try_from(self.bytes).unwrap_or(i64::MAX),
            messages: -i64::try_from(self.messages).unwrap_or(i64::MAX),
            threads: -self.threads,
        };
        tx.usage().change(&[(inbox.organization_id, inbox.inbox_id.clone(), change)]).await
    }
}
