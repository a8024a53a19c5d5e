//! Taking messages out of a thread for good.

use time::OffsetDateTime;

use crate::model::{MessageId, MessageItem, Thread, UsageChange};
use crate::ports::{StoreError, Tx};

/// Deletes messages of a locked thread. The thread goes with its last one; what they took of the storage is free at once.
pub(in crate::app) async fn remove(
    tx: &mut dyn Tx,
    thread: Thread,
    gone: &[MessageItem],
    left: &[MessageItem],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let Thread { organization_id, thread_id, .. } = thread;
    let inbox_id = thread.inbox_id.clone();
    let ids: Vec<MessageId> = gone.iter().map(|message| message.message_id.clone()).collect();
    tx.messages().delete(organization_id, &inbox_id, &ids).await?;
    let thread = thread.summed_up(left, now);
    match &thread {
        Some(thread) => tx.threads().update(thread).await?,
        None => tx.threads().delete(organization_id, &inbox_id, thread_id).await?,
    }
    let octets: u64 = gone.iter().map(|message| message.size).sum();
    let change = UsageChange {
        storage_bytes: -i64::try_from(octets).unwrap_or(i64::MAX),
        messages: -i64::try_from(gone.len()).unwrap_or(i64::MAX),
        threads: -i64::from(thread.is_none()),
    };
    tx.usage().change(organization_id, &[(inbox_id, change)]).await
}
