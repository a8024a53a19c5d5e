//! Record of mail that was refused at SMTP. Sessions note refusals in memory; a periodic job stores them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_mail::EmailAddress;

use super::App;
use super::receive::target_of;
use crate::Error;
use crate::model::{RefusedMail, SmtpRefusal};
use crate::ports::{RefusalBounds, StoreError};
use crate::rules::refusals::{MAX_PER_INBOX, MAX_PER_ORGANIZATION, PendingRefusal, REFUSAL_TTL, RefusalLedger, stored};

/// Refusals deleted by one unit of work.
const BATCH: u32 = 1000;
/// Addresses looked up by one query.
const MAX_LOOKUPS: usize = 200;

/// Refusals of this process that are not stored yet.
#[derive(Debug, Default)]
pub(super) struct RefusalBuffer(Mutex<RefusalLedger>);

impl RefusalBuffer {
    /// Locks the ledger. It stays consistent after a panic of a lock holder.
    fn locked(&self) -> MutexGuard<'_, RefusalLedger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes a refusal within the bounds. It waits for no storage.
pub fn note(app: &App, mail: RefusedMail) {
    app.waiting.refusals.locked().note(mail, app.clock.now());
}

/// Stores the noted refusals whose recipients are inboxes, and forgets the others. Refusals that cannot be stored now stay
/// noted within the bounds.
///
/// # Errors
/// [`Error::Store`].
pub async fn record(app: &App) -> Result<(), Error> {
    let pending = app.waiting.refusals.locked().take();
    if pending.is_empty() {
        return Ok(());
    }
    let recorded = store(app, &pending).await;
    // A unit of work that perhaps committed must not count twice.
    if matches!(&recorded, Err(error) if !matches!(error, StoreError::Undecided(_))) {
        let mut ledger = app.waiting.refusals.locked();
        for refusal in pending {
            ledger.add(refusal);
        }
    }
    Ok(recorded?)
}

/// Returns the number of refusals that were dropped beyond the bounds since the last call.
#[must_use]
pub fn take_dropped(app: &App) -> u64 {
    app.waiting.refusals.locked().take_dropped()
}

/// Deletes a batch of refusals after their retention. Returns whether more may remain.
///
/// # Errors
/// [`Error::Store`].
pub async fn purge(app: &App) -> Result<bool, Error> {
    let mut tx = app.store.begin().await?;
    let purged = tx.refusals().purge(app.clock.now() - REFUSAL_TTL, BATCH).await?;
    tx.commit().await?;
    Ok(purged >= u64::from(BATCH))
}

async fn store(app: &App, pending: &[PendingRefusal]) -> Result<(), StoreError> {
    // In lock order; several addresses of an inbox make one row.
    let mut rows: BTreeMap<_, SmtpRefusal> = BTreeMap::new();
    for batch in pending.chunks(MAX_LOOKUPS) {
        let targets: Vec<EmailAddress> =
            batch.iter().map(|refusal| target_of(app, &refusal.first.recipient).clone()).collect();
        let inboxes = app.store.destinations(&targets).await?;
        for (refusal, route) in batch.iter().zip(inboxes) {
            let Some(route) = route else { continue };
            let row = stored(refusal.clone(), &route.destination);
            let key = (row.organization_id, row.inbox_id.clone(), row.refusal_id);
            match rows.entry(key) {
                Entry::Vacant(entry) => _ = entry.insert(row),
                Entry::Occupied(mut entry) => {
                    let known = entry.get_mut();
                    known.count += row.count;
                    known.refused_at = known.refused_at.min(row.refused_at);
                    known.last_refused_at = known.last_refused_at.max(row.last_refused_at);
                }
            }
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let rows: Vec<SmtpRefusal> = rows.into_values().collect();
    let bounds = RefusalBounds { of_inbox: MAX_PER_INBOX, of_organization: MAX_PER_ORGANIZATION };
    let mut tx = app.store.begin().await?;
    tx.refusals().add(&rows, bounds).await?;
    tx.commit().await
}
