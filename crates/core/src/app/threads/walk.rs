//! Paged iteration over the messages of a thread.
//!
//! A thread may have thousands of messages.

use time::OffsetDateTime;

use crate::model::{Cursor, MessageItem, Thread, ThreadSum};
use crate::ports::{StoreError, Tx};

/// Messages in memory at a time.
const PAGE: u32 = 500;

/// Iteration over the messages of a locked thread, oldest first. The caller may change or delete the messages of a page
/// between two calls.
pub(super) struct Walk {
    after: Option<Cursor>,
    is_over: bool,
}

impl Walk {
    /// Creates an iteration from the oldest message.
    pub(super) fn new() -> Self {
        Self { after: None, is_over: false }
    }

    /// Returns the next page of messages; empty at the end.
    pub(super) async fn next(&mut self, tx: &mut dyn Tx, thread: &Thread) -> Result<Vec<MessageItem>, StoreError> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let Thread { organization_id, inbox_id, thread_id, .. } = thread;
        let after = self.after.take();
        let page = tx.messages().of_thread(*organization_id, inbox_id, *thread_id, PAGE, after).await?;
        self.is_over = page.len() < PAGE as usize;
        self.after = page.last().map(|last| Cursor { time: last.timestamp, id: last.message_id.as_str().to_owned() });
        Ok(page)
    }
}

/// Recomputes a locked thread from its stored messages. Returns `None` when none is left.
pub(in crate::app) async fn summed_up(
    tx: &mut dyn Tx,
    thread: Thread,
    now: OffsetDateTime,
) -> Result<Option<Thread>, StoreError> {
    let (mut walk, mut sum) = (Walk::new(), ThreadSum::default());
    loop {
        let page = walk.next(tx, &thread).await?;
        if page.is_empty() {
            return Ok(sum.of(thread, now));
        }
        sum = page.iter().fold(sum, ThreadSum::with);
    }
}
