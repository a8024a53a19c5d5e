//! First reads of messages. Use cases note reads in memory; a periodic job stores them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::App;
use crate::Error;
use crate::model::{Caller, FirstRead, MessageItem, ReadPart, ReaderId};
use crate::ports::{ReadBounds, StoreError};
use crate::rules::reads::{MAX_PER_INBOX, MAX_READERS, ReadLedger};

/// Reads deleted by one unit of work.
const BATCH: u32 = 1000;

/// First reads of this process that are not stored yet.
#[derive(Debug, Default)]
pub(super) struct ReadBuffer(Mutex<ReadLedger>);

impl ReadBuffer {
    /// Locks the ledger. It stays consistent after a panic of a lock holder.
    fn locked(&self) -> MutexGuard<'_, ReadLedger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes that a caller reads a message. It waits for no storage.
pub(super) fn note(app: &App, caller: &Caller, item: &MessageItem, part: ReadPart) {
    let reader = ReaderId::of(&caller.actor);
    let mut ledger = app.waiting.reads.locked();
    if !ledger.is_new((item.organization_id, &item.inbox_id, &item.message_id), reader) {
        return;
    }
    let now = app.clock.now();
    ledger.add(FirstRead {
        read_id: app.mint(now),
        organization_id: item.organization_id,
        inbox_id: item.inbox_id.clone(),
        message_id: item.message_id.clone(),
        reader: caller.actor.clone(),
        part,
        read_at: now,
    });
}

/// Stores the noted reads. Those that cannot be stored now stay noted within the bounds.
///
/// # Errors
/// [`Error::Store`].
pub async fn record(app: &App) -> Result<(), Error> {
    let mut reads = app.waiting.reads.locked().take();
    if reads.is_empty() {
        return Ok(());
    }
    // In lock order.
    reads.sort_by_cached_key(|read| {
        (read.organization_id, read.inbox_id.clone(), read.message_id.clone(), ReaderId::of(&read.reader))
    });
    let recorded = store(app, &reads).await;
    if recorded.is_err() {
        let mut ledger = app.waiting.reads.locked();
        for read in reads {
            ledger.add(read);
        }
    }
    Ok(recorded?)
}

/// Returns the number of reads that were dropped beyond the bounds since the last call.
#[must_use]
pub fn take_dropped(app: &App) -> u64 {
    app.waiting.reads.locked().take_dropped()
}

/// Deletes a batch of reads that are older than the retention of events. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let purged = tx.first_reads().purge(app.clock.now() - app.settings.event_retention, BATCH).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(BATCH))
}

async fn store(app: &App, reads: &[FirstRead]) -> Result<(), StoreError> {
    let bounds = ReadBounds { of_message: MAX_READERS, of_inbox: MAX_PER_INBOX };
    let mut tx = app.store.begin().await?;
    tx.first_reads().add(reads, bounds).await?;
    tx.commit().await
}
