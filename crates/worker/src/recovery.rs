//! Recovery: completion of claims whose outcome is not stored, however long the database is away.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{self, App, Finished};
use inboxd_core::model::{Claim, OpenWork};
use inboxd_core::ports::{StoreError, WorkJournal};
use inboxd_core::{Error, model};
use tokio::time::Instant;

use crate::journal::FileJournal;
use crate::shutdown::Shutdown;

/// The delay before the second attempt; it doubles with each attempt.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(50);
/// The longest delay while the database is away. It is shorter than the time for which no worker claims after an outage.
const MAX_OUTAGE_DELAY: Duration = Duration::from_secs(1);
/// The longest delay where the database refuses.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);
/// The time between two reminders in the log, at which the lease is extended too. A lease is much longer.
const REMINDER_INTERVAL: Duration = Duration::from_mins(1);

/// Completes work, with retries until it succeeds. At shutdown the journal retains it after one more attempt.
pub(crate) async fn recover(app: App, journal: Arc<FileJournal>, work: OpenWork, mut shutdown: Shutdown) {
    let mut delay = FIRST_RETRY_DELAY;
    let mut reminded = Instant::now();
    loop {
        let is_last = shutdown.is_requested();
        let Err(error) = try_recover(&app, &journal, &work).await else { return };
        if is_last {
            tracing::warn!(work = %name(&work), %error, "interrupted work left for next start");
            return;
        }
        if reminded.elapsed() > REMINDER_INTERVAL {
            reminded = Instant::now();
            tracing::error!(work = %name(&work), %error, retry_in = ?delay, "outcome still not stored");
            extend_lease(&app, &work).await;
        }
        shutdown.sleep(delay).await;
        delay = (delay * 2).min(if is_outage(&error) { MAX_OUTAGE_DELAY } else { MAX_RETRY_DELAY });
    }
}

/// Attempts once to complete work.
pub(crate) async fn try_recover(app: &App, journal: &FileJournal, work: &OpenWork) -> Result<(), Error> {
    let outcome = app::finish(app, work).await?;
    journal.settled(work.claim);
    let work = name(work);
    match outcome {
        Finished::Recorded(app::Delivered { delivered, bounced, deferred }) => {
            tracing::info!(%work, delivered, bounced, deferred, "delivery outcome stored");
        }
        Finished::Released => tracing::info!(%work, "interrupted work due again"),
        Finished::NothingLeft => tracing::debug!(%work, "work already complete"),
    }
    Ok(())
}

/// Extends the lease of a delivered message. This may succeed even where its outcome cannot be stored.
async fn extend_lease(app: &App, work: &OpenWork) {
    if let (Claim::Mail(claim), Some(_)) = (work.claim, &work.outcomes) {
        // The next reminder repeats it after a failure.
        let _ = app::keep(app, claim).await;
    }
}

/// Returns whether storage was away rather than refused.
pub(crate) fn is_outage(error: &Error) -> bool {
    use StoreError::{Contention, LockTimeout, Unavailable, Undecided};
    matches!(error, Error::Store(Unavailable(_) | Undecided(_) | Contention | LockTimeout))
}

/// Returns the name of work in the log.
fn name(work: &OpenWork) -> String {
    match work.claim {
        Claim::Mail(model::ClaimedMail { outgoing_id, .. }) => format!("mail {outgoing_id}"),
        Claim::Draft(model::ClaimedDraft { draft_id, .. }) => format!("draft {draft_id}"),
    }
}
