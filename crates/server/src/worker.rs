//! What goes on without being asked, beside the [delivery](crate::delivery) of mail: scheduled drafts are sent, codes to
//! sign in with are mailed, deleted inboxes are emptied, and the keys of old sends and the codes that ran out forgotten.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::drafts::{self, Due};
use inboxd_core::app::{self, App};
use inboxd_core::model::{Claim, ClaimedDraft};
use inboxd_core::ports::WorkJournal;
use tokio::task::JoinSet;

use crate::environment::WakeWorkers;
use crate::journal::FileJournal;
use crate::serve::Shutdown;

/// How many drafts one process sends at the same time: each is in memory whole.
const PARALLEL_DRAFTS: usize = 8;
/// How long a worker sleeps when nobody wakes it: another process may have scheduled a draft, or asked for a code.
const POLL: Duration = Duration::from_secs(1);
/// The shortest sleep: times are kept to the millisecond.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
/// How often it is looked for what can go.
const PURGE: Duration = Duration::from_secs(10);

/// Sends scheduled drafts at their time until shutdown; what was begun then is finished.
pub(crate) async fn send_drafts(app: App, journal: Arc<FileJournal>, mut shutdown: Shutdown) {
    let mut running = JoinSet::new();
    while !shutdown.has_come() {
        let free = PARALLEL_DRAFTS - running.len();
        let Some(claimed) = claim_drafts(&app, &journal, free).await else {
            tokio::select! {
                () = shutdown.comes() => {}
                () = tokio::time::sleep(POLL) => {}
            }
            continue;
        };
        let was_full = claimed.len() == free;
        for draft in claimed {
            running.spawn(send_draft(app.clone(), Arc::clone(&journal), draft));
        }
        if was_full && running.len() < PARALLEL_DRAFTS {
            continue;
        }
        let wait = until_next_draft(&app).await;
        tokio::select! {
            () = shutdown.comes() => {}
            Some(_) = running.join_next() => {}
            () = tokio::time::sleep(wait), if running.len() < PARALLEL_DRAFTS => {}
        }
        while running.try_join_next().is_some() {}
    }
    while running.join_next().await.is_some() {}
}

/// The drafts whose time has come; `None` when they could not be read.
async fn claim_drafts(app: &App, journal: &FileJournal, free: usize) -> Option<Vec<ClaimedDraft>> {
    let limit = u32::try_from(free).unwrap_or(u32::MAX);
    let claimed = drafts::claim_due_drafts(app, journal, limit).await;
    claimed.inspect_err(|error| tracing::error!(%error, "the scheduled drafts could not be read")).ok()
}

/// How long to sleep: until the next draft is due, and never so long that one which another process schedules is late.
async fn until_next_draft(app: &App) -> Duration {
    let due_at = drafts::next_due_draft(app).await.ok().flatten();
    let left = due_at.map(|at| Duration::try_from(at - app.clock.now()).unwrap_or_default());
    // What is overdue, and was not claimed just now, is in the hands of another process.
    left.map_or(POLL, |left| left.clamp(SHORTEST_WAIT, POLL))
}

async fn send_draft(app: App, journal: Arc<FileJournal>, draft: ClaimedDraft) {
    let draft_id = draft.draft_id;
    let sent = drafts::send_due_draft(&app, &draft).await;
    // Where it failed, the claim in the database is what makes it wait before it is tried again.
    journal.settled(Claim::Draft(draft));
    match sent {
        Ok(Due::Sent(sent)) => tracing::info!(%draft_id, message_id = %sent.message_id, "scheduled draft sent"),
        Ok(Due::Refused(reason)) => tracing::info!(%draft_id, reason, "scheduled draft refused"),
        Ok(Due::Gone) => tracing::info!(%draft_id, "scheduled draft was changed or sent by somebody else"),
        Err(error) => tracing::error!(%draft_id, %error, "a scheduled draft could not be sent; it is tried again"),
    }
}

/// Queues the mail of the codes that people asked for to sign in, until shutdown. Anybody can ask for them, so that they do
/// not stand in front of the mail of others.
pub(crate) async fn mail_codes(app: App, wake: Arc<WakeWorkers>, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        if is_more(app::account::mail_sign_in_codes(&app).await, "sign-in codes could not be queued") {
            continue;
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = wake.sign_ins.notified() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// Empties deleted inboxes, and forgets the keys of old sends and the codes that ran out, until shutdown.
pub(crate) async fn purge(app: App, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        let inboxes = is_more(app::purge_deleted_inboxes(&app).await, "a deleted inbox could not be emptied");
        let keys = is_more(app::purge_send_keys(&app).await, "the keys of old sends could not be removed");
        let codes = is_more(app::purge_sign_in_codes(&app).await, "codes that ran out could not be forgotten");
        if inboxes || keys || codes {
            continue;
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(PURGE) => {}
        }
    }
}

/// Whether more is left to do. What failed is tried again later.
fn is_more(done: Result<bool, inboxd_core::Error>, what: &str) -> bool {
    done.inspect_err(|error| tracing::error!(%error, "{what}; it is tried again")).unwrap_or(false)
}
