//! Drafts that are sent at a time.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::App;
use inboxd_core::app::drafts::{self, Due};
use inboxd_core::model::{Claim, ClaimedDraft, OpenWork};
use inboxd_core::ports::WorkJournal;
use tokio::task::JoinSet;

use crate::journal::FileJournal;
use crate::recovery::{is_outage, recover};
use crate::shutdown::Shutdown;

/// Drafts that one process sends at the same time: each is in memory whole.
const MAX_PARALLEL_DRAFTS: usize = 8;
/// The longest sleep: another process may have scheduled a draft.
const DRAFT_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest sleep: due times are stored in milliseconds.
const MIN_SLEEP: Duration = Duration::from_millis(5);

/// Sends scheduled drafts.
#[derive(Clone)]
pub(crate) struct ScheduledDrafts {
    pub(crate) app: App,
    pub(crate) journal: Arc<FileJournal>,
    pub(crate) shutdown: Shutdown,
}

impl ScheduledDrafts {
    /// Sends drafts at their time until shutdown, and then completes the drafts in progress.
    pub(crate) async fn run(mut self) {
        let mut running = JoinSet::new();
        while !self.shutdown.is_requested() {
            let free = MAX_PARALLEL_DRAFTS.saturating_sub(running.len());
            let claimed = self.claim(free, &mut running).await;
            let was_full = claimed.len() == free;
            for draft in claimed {
                running.spawn(self.clone().send(draft));
            }
            if was_full && running.len() < MAX_PARALLEL_DRAFTS {
                continue;
            }
            let sleep = self.time_until_next().await;
            tokio::select! {
                () = self.shutdown.requested() => {}
                Some(_) = running.join_next() => {}
                () = tokio::time::sleep(sleep), if running.len() < MAX_PARALLEL_DRAFTS => {}
            }
            while running.try_join_next().is_some() {}
        }
        while running.join_next().await.is_some() {}
    }

    /// Claims drafts that are due; none after a failure.
    async fn claim(&mut self, free: usize, running: &mut JoinSet<()>) -> Vec<ClaimedDraft> {
        let limit = u32::try_from(free).unwrap_or(u32::MAX);
        let not_claimed = match drafts::claim_due_drafts(&self.app, self.journal.as_ref(), limit).await {
            Ok(claimed) => return claimed,
            Err(not_claimed) => not_claimed,
        };
        tracing::error!(error = %not_claimed.error, retry_in = ?DRAFT_POLL_INTERVAL, "scheduled drafts not claimed");
        for claim in not_claimed.undecided {
            running.spawn(self.clone().release(claim));
        }
        self.shutdown.sleep(DRAFT_POLL_INTERVAL).await;
        Vec::new()
    }

    /// Returns the time until the next draft is due, at most a poll interval.
    async fn time_until_next(&self) -> Duration {
        let due_at = drafts::next_due_draft(&self.app).await.ok().flatten();
        let left = due_at.map(|at| Duration::try_from(at - self.app.clock.now()).unwrap_or_default());
        // Another process has claimed a draft that is overdue and was not claimed just now.
        left.map_or(DRAFT_POLL_INTERVAL, |left| left.clamp(MIN_SLEEP, DRAFT_POLL_INTERVAL))
    }

    async fn send(self, draft: ClaimedDraft) {
        let draft_id = draft.draft_id;
        match drafts::send_due_draft(&self.app, &draft).await {
            Ok(Due::Sent(sent)) => tracing::info!(%draft_id, message_id = %sent.message_id, "scheduled draft sent"),
            Ok(Due::Refused(reason)) => tracing::info!(%draft_id, reason, "scheduled draft refused"),
            Ok(Due::Held) => tracing::info!(%draft_id, "scheduled draft held"),
            Ok(Due::Gone) => tracing::info!(%draft_id, "scheduled draft changed or sent elsewhere"),
            Err(error) => {
                tracing::error!(%draft_id, %error, "scheduled draft not sent");
                if is_outage(&error) {
                    return self.release(Claim::Draft(draft)).await;
                }
            }
        }
        // A draft that storage refuses stays claimed, and is tried again when its claim expires.
        self.journal.settled(Claim::Draft(draft));
    }

    /// Releases a claim before it expires.
    async fn release(self, claim: Claim) {
        recover(self.app, self.journal, OpenWork { claim, outcomes: None }, self.shutdown).await;
    }
}
