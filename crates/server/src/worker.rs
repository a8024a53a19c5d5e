//! What goes on without being asked, beside the [delivery](crate::delivery) of mail: scheduled drafts are sent, codes to
//! sign in with are mailed, deleted inboxes are emptied, and the keys of old sends and the codes that ran out forgotten.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::drafts::{self, Due};
use inboxd_core::app::{self, App};
use inboxd_core::model::{Claim, ClaimedDraft, Unfinished};
use inboxd_core::ports::{StsPolicyStore as _, WorkJournal};
use inboxd_postgres::PgStore;
use tokio::task::JoinSet;

use crate::environment::WakeWorkers;
use crate::finishing::{finish, is_outage};
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
/// How many bytes the stored MTA-STS policies take: some 150,000 usual ones.
const MAX_STS_POLICY_BYTES: u64 = 32 * 1024 * 1024;
/// Held messages that one statement resumes.
const RESUMED_BATCH: u32 = 5_000;
/// How often held messages of active inboxes are looked up.
const RESUMPTION_INTERVAL: Duration = Duration::from_secs(10);
/// How often the stored MTA-STS policies are counted.
const STS_EVICTION_INTERVAL: Duration = Duration::from_mins(1);
/// How often it is looked whether the records of keys that sign nothing yet stand in DNS.
const LOOK_FOR_RECORDS: Duration = Duration::from_secs(5);

/// Releases the idempotency keys that could not be released while storage was away, until shutdown.
pub(crate) async fn release_abandoned_keys(app: App, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        app::release_abandoned_keys(&app).await;
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// Sends scheduled drafts.
#[derive(Clone)]
pub(crate) struct DueDrafts {
    pub(crate) app: App,
    pub(crate) journal: Arc<FileJournal>,
    pub(crate) shutdown: Shutdown,
}

impl DueDrafts {
    /// Sends drafts at their time until shutdown; what was begun then is finished.
    pub(crate) async fn run(mut self) {
        let mut running = JoinSet::new();
        while !self.shutdown.has_come() {
            let free = PARALLEL_DRAFTS.saturating_sub(running.len());
            let claimed = self.claim(free, &mut running).await;
            let was_full = claimed.len() == free;
            for draft in claimed {
                running.spawn(self.clone().send(draft));
            }
            if was_full && running.len() < PARALLEL_DRAFTS {
                continue;
            }
            let wait = self.until_next().await;
            tokio::select! {
                () = self.shutdown.comes() => {}
                Some(_) = running.join_next() => {}
                () = tokio::time::sleep(wait), if running.len() < PARALLEL_DRAFTS => {}
            }
            while running.try_join_next().is_some() {}
        }
        while running.join_next().await.is_some() {}
    }

    /// The drafts whose time has come; none when they cannot be read.
    async fn claim(&mut self, free: usize, running: &mut JoinSet<()>) -> Vec<ClaimedDraft> {
        let limit = u32::try_from(free).unwrap_or(u32::MAX);
        let not_claimed = match drafts::claim_due_drafts(&self.app, self.journal.as_ref(), limit).await {
            Ok(claimed) => return claimed,
            Err(not_claimed) => not_claimed,
        };
        tracing::error!(error = %not_claimed.error, "the scheduled drafts could not be read");
        for claim in not_claimed.undecided {
            running.spawn(self.clone().release(claim));
        }
        tokio::select! {
            () = self.shutdown.comes() => {}
            () = tokio::time::sleep(POLL) => {}
        }
        Vec::new()
    }

    /// How long to sleep: until the next draft is due, and never so long that one which another process schedules is late.
    async fn until_next(&self) -> Duration {
        let due_at = drafts::next_due_draft(&self.app).await.ok().flatten();
        let left = due_at.map(|at| Duration::try_from(at - self.app.clock.now()).unwrap_or_default());
        // What is overdue, and was not claimed just now, is in the hands of another process.
        left.map_or(POLL, |left| left.clamp(SHORTEST_WAIT, POLL))
    }

    async fn send(self, draft: ClaimedDraft) {
        let draft_id = draft.draft_id;
        match drafts::send_due_draft(&self.app, &draft).await {
            Ok(Due::Sent(sent)) => tracing::info!(%draft_id, message_id = %sent.message_id, "scheduled draft sent"),
            Ok(Due::Refused(reason)) => tracing::info!(%draft_id, reason, "scheduled draft refused"),
            Ok(Due::Held) => tracing::info!(%draft_id, "scheduled draft held back"),
            Ok(Due::Gone) => tracing::info!(%draft_id, "scheduled draft was changed or sent by somebody else"),
            Err(error) => {
                tracing::error!(%draft_id, %error, "a scheduled draft could not be sent; it is tried again");
                if is_outage(&error) {
                    return self.release(Claim::Draft(draft)).await;
                }
            }
        }
        // Where storage was unwilling, the claim makes it wait before it is tried again.
        self.journal.settled(Claim::Draft(draft));
    }

    /// Gives up a claim, so that the draft need not wait for its end.
    async fn release(self, claim: Claim) {
        finish(self.app, self.journal, Unfinished { claim, outcomes: None }, self.shutdown).await;
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

/// Empties deleted inboxes, and forgets the keys of old sends, the mails that left long ago, the codes that ran out and the events for webhooks that are
/// gone, and removes organizations that were not confirmed or that an operator deleted, until shutdown.
pub(crate) async fn purge(app: App, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        let inboxes = is_more(app::purge_deleted_inboxes(&app).await, "a deleted inbox could not be emptied");
        let keys = is_more(app::purge_send_keys(&app).await, "the keys of old sends could not be removed");
        let sent = is_more(app::forget_sent_mail(&app).await, "mails that left long ago could not be forgotten");
        let codes = is_more(app::purge_sign_in_codes(&app).await, "codes that ran out could not be forgotten");
        let quotas = is_more(app::purge_mail_quotas(&app).await, "mail quota purge failed");
        let unconfirmed = is_more(app::remove_unconfirmed(&app).await, "organization removal failed");
        let removed = is_more(app::purge_removed_organizations(&app).await, "organization purge failed");
        let deliveries =
            is_more(app::webhooks::purge(&app).await, "events for deleted webhooks could not be forgotten");
        if [inboxes, keys, sent, codes, quotas, unconfirmed, removed, deliveries].contains(&true) {
            continue;
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(PURGE) => {}
        }
    }
}

/// Resumes messages that an interrupted request left held, until shutdown.
pub(crate) async fn resume_queues(store: Arc<PgStore>, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        match store.resume_unheld(RESUMED_BATCH).await {
            Ok(resumed) if resumed >= RESUMED_BATCH as usize => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "queue resumption failed"),
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(RESUMPTION_INTERVAL) => {}
        }
    }
}

/// Deletes MTA-STS policies that have expired, or that take too much room, until shutdown.
pub(crate) async fn evict_sts_policies(app: App, store: Arc<PgStore>, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        if let Err(error) = store.evict_sts_policies(app.clock.now(), MAX_STS_POLICY_BYTES).await {
            tracing::warn!(%error, "MTA-STS policy eviction failed");
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(STS_EVICTION_INTERVAL) => {}
        }
    }
}

/// Lets the keys of the service's own domains sign as soon as their records stand in DNS, until all of them do or shutdown.
pub(crate) async fn begin_signing(app: App, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        match app::dkim::begin_signing(&app).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => {
                tracing::error!(%error, "the keys that sign mail of INBOXD_DOMAIN are not in use; it is tried again");
            }
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(LOOK_FOR_RECORDS) => {}
        }
    }
}

/// Whether more is left to do. What failed is tried again later.
fn is_more(done: Result<bool, inboxd_core::Error>, what: &str) -> bool {
    done.inspect_err(|error| tracing::error!(%error, "{what}; it is tried again")).unwrap_or(false)
}
