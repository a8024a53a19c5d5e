//! Finishing what was begun and is not stored, however long the database is away.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{self, App, Finished};
use inboxd_core::model::{Claim, Unfinished};
use inboxd_core::ports::{StoreError, WorkJournal};
use inboxd_core::{Error, model};
use tokio::time::Instant;

use crate::journal::FileJournal;
use crate::serve::Shutdown;

/// The first pause between two tries.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause while the database is away. It is shorter than the time for which nobody claims after an outage.
const OUTAGE_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause where the database is there and does not take it.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How often the log says that it is still not stored, and the claim is renewed where that is possible. It is much shorter
/// than a claim.
const REMINDER: Duration = Duration::from_mins(1);

/// Finishes work, and tries until it is done. At shutdown it is left to the journal, after one more try.
pub(crate) async fn finish(app: App, journal: Arc<FileJournal>, work: Unfinished, mut shutdown: Shutdown) {
    let mut pause = FIRST_PAUSE;
    let mut reminded = Instant::now();
    loop {
        let is_last = shutdown.has_come();
        let Err(error) = try_to_finish(&app, &journal, &work).await else { return };
        if is_last {
            tracing::warn!(work = %name(&work), %error, "what was begun is left to the next start");
            return;
        }
        if reminded.elapsed() > REMINDER {
            reminded = Instant::now();
            tracing::error!(work = %name(&work), %error, "what came of it could still not be stored; it is tried again");
            keep(&app, &work).await;
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(pause) => {}
        }
        pause = (pause * 2).min(if is_outage(&error) { OUTAGE_PAUSE } else { LONGEST_PAUSE });
    }
}

/// Finishes work, or says why not.
pub(crate) async fn try_to_finish(app: &App, journal: &FileJournal, work: &Unfinished) -> Result<(), Error> {
    let finished = app::finish(app, work).await?;
    journal.settled(work.claim);
    let work = name(work);
    match finished {
        Finished::Recorded(app::Delivered { delivered, bounced, deferred }) => {
            tracing::info!(%work, delivered, bounced, deferred, "what came of it is stored");
        }
        Finished::Released => tracing::info!(%work, "it was cut short, and is due again"),
        Finished::NothingLeft => tracing::debug!(%work, "nothing was left to do"),
    }
    Ok(())
}

/// Keeps others from a mail that is out; the lease may be renewed even where what came of it cannot be stored.
async fn keep(app: &App, work: &Unfinished) {
    if let (Claim::Mail(claim), Some(_)) = (work.claim, &work.outcomes) {
        // Should this fail, it is tried again at the next reminder.
        let _ = app::keep(app, claim).await;
    }
}

/// Whether storage was away, rather than unwilling.
pub(crate) fn is_outage(error: &Error) -> bool {
    use StoreError::{Contention, LockTimeout, Unavailable, Undecided};
    matches!(error, Error::Store(Unavailable(_) | Undecided(_) | Contention | LockTimeout))
}

/// What the work is called in the log.
fn name(work: &Unfinished) -> String {
    match work.claim {
        Claim::Mail(model::ClaimedMail { outgoing_id, .. }) => format!("mail {outgoing_id}"),
        Claim::Draft(model::ClaimedDraft { draft_id, .. }) => format!("draft {draft_id}"),
    }
}
