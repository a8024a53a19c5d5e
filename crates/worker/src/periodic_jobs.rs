//! Jobs that run at an interval, each until shutdown.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::inboxes::ExpiryTurn;
use inboxd_core::app::{self, App};
use inboxd_core::ports::Destination;

use crate::journal::FileJournal;
use crate::ports::WorkerPorts;
use crate::scheduled_drafts::ScheduledDrafts;
use crate::shutdown::Shutdown;
use crate::wake::WakeSignals;
use crate::{attachment_reader, indexer, usage_sampling, webhooks};

/// The time between two reviews of the rates of bounces and complaints, which brake the sending of an organization.
const BRAKE_REVIEW_INTERVAL: Duration = Duration::from_secs(10);
/// The time between two polls for starts and ends of calendar events.
const CALENDAR_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// The time between two polls for sign-in codes of other processes.
const SIGN_IN_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The time between two attempts to release abandoned idempotency keys.
const KEY_RELEASE_INTERVAL: Duration = Duration::from_secs(1);
/// The time between two writes of the refusals at SMTP and the first reads that are in memory.
const RECORD_INTERVAL: Duration = Duration::from_secs(2);
/// The time between two purges that find nothing more.
const PURGE_INTERVAL: Duration = Duration::from_secs(10);
/// Bytes of stored MTA-STS policies: some 150,000 usual ones.
const MAX_STS_POLICY_BYTES: u64 = 32 * 1024 * 1024;
/// The time between two counts of the stored MTA-STS policies.
const STS_EVICTION_INTERVAL: Duration = Duration::from_mins(1);
/// Held messages that one statement resumes.
const RESUMED_BATCH: u32 = 5_000;
/// The time between two lookups of held messages of active inboxes.
const RESUMPTION_INTERVAL: Duration = Duration::from_secs(10);
/// The time between two lookups of the DNS records of keys that are not in use.
const DNS_POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Runs all work of a worker until shutdown, except deliveries to recipients and to webhooks.
pub async fn run_periodic_jobs(
    app: App,
    ports: WorkerPorts,
    wake: Arc<WakeSignals>,
    journal: Arc<FileJournal>,
    shutdown: Shutdown,
) {
    let drafts = ScheduledDrafts { app: app.clone(), journal, shutdown: shutdown.clone() };
    tokio::join!(
        drafts.run(),
        mail_codes(app.clone(), wake, shutdown.clone()),
        webhooks::replay(app.clone(), shutdown.clone()),
        purge(app.clone(), shutdown.clone()),
        expire_messages(app.clone(), shutdown.clone()),
        evict_sts_policies(app.clone(), ports.clone(), shutdown.clone()),
        resume_queues(ports.clone(), shutdown.clone()),
        remove_blobs(app.clone(), ports.clone(), shutdown.clone()),
        usage_sampling::sample(app.clone(), shutdown.clone()),
        begin_signing(app.clone(), shutdown.clone()),
        review_sending(app.clone(), shutdown.clone()),
        announce_calendar_moments(app.clone(), shutdown.clone()),
        attachment_reader::read(app.clone(), &ports.backlog, shutdown.clone()),
        indexer::index(app, ports.backlog.clone(), shutdown),
    );
}

/// Releases the idempotency keys that could not be released while storage was away.
pub async fn release_abandoned_keys(app: App, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        app::release_abandoned_keys(&app).await;
        shutdown.sleep(KEY_RELEASE_INTERVAL).await;
    }
}

/// Stores the refusals of SMTP sessions and the first reads of messages that are in memory, a last time after shutdown
/// is requested.
pub async fn record_notes(app: App, mut shutdown: Shutdown) {
    loop {
        let is_last = shutdown.is_requested();
        if let Err(error) = app::refusals::record(&app).await {
            tracing::warn!(%error, "SMTP refusals not recorded");
        }
        let dropped = app::refusals::take_dropped(&app);
        if dropped > 0 {
            tracing::warn!(dropped, "SMTP refusal records dropped");
        }
        if let Err(error) = app::reads::record(&app).await {
            tracing::warn!(%error, "first reads not recorded");
        }
        let dropped = app::reads::take_dropped(&app);
        if dropped > 0 {
            tracing::warn!(dropped, "first read records dropped");
        }
        if is_last {
            return;
        }
        shutdown.sleep(RECORD_INTERVAL).await;
    }
}

/// Queues the messages with requested sign-in codes. Anybody can request them, so they yield to the mail of organizations.
async fn mail_codes(app: App, wake: Arc<WakeSignals>, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        if has_more(app::account::mail_sign_in_codes(&app).await, "sign-in codes") {
            continue;
        }
        tokio::select! {
            () = wake.sign_ins.notified() => {}
            () = shutdown.sleep(SIGN_IN_POLL_INTERVAL) => {}
        }
    }
}

/// Deletes the rest of deleted inboxes and removed organizations, and expired rows.
async fn purge(app: App, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        let more = [
            has_more(app::purge_deleted_inboxes(&app).await, "deleted inboxes"),
            has_more(app::purge_send_keys(&app).await, "idempotency keys"),
            has_more(app::forget_sent_mail(&app).await, "sent mail"),
            has_more(app::purge_sign_in_codes(&app).await, "expired sign-in codes"),
            has_more(app::audit::purge(&app).await, "audit log"),
            has_more(app::refusals::purge(&app).await, "SMTP refusals"),
            has_more(app::reads::purge(&app).await, "first reads"),
            has_more(app::purge_mail_quotas(&app).await, "mail quotas"),
            has_more(app::purge_mail_reports(&app).await, "aggregate reports"),
            has_more(app::purge_policy_counts(&app).await, "policy counts"),
            has_more(app::files::purge(&app).await, "expired files"),
            has_more(app::drafts::expire_approvals(&app).await, "expired approvals"),
            has_more(app::remove_unconfirmed(&app).await, "unconfirmed organizations"),
            has_more(app::purge_removed_organizations(&app).await, "removed organizations"),
            has_more(app::oauth::purge_oauth(&app).await, "OAuth rows"),
            has_more(app::webhooks::purge(&app).await, "webhook deliveries"),
        ];
        if !more.contains(&true) {
            shutdown.sleep(PURGE_INTERVAL).await;
        }
    }
}

/// Deletes messages after the retention of their inbox, a batch of each organization a round.
async fn expire_messages(app: App, mut shutdown: Shutdown) {
    let mut after = None;
    while !shutdown.is_requested() {
        let is_first = after.is_none();
        let turn = app::inboxes::expire_messages(&app, after)
            .await
            .inspect_err(|error| tracing::error!(%error, rows = "expired messages", "periodic job failed"))
            .unwrap_or_default();
        if let Some(ExpiryTurn { organization_id, failure: Some((inbox_id, error)) }) = &turn {
            tracing::error!(%organization_id, %inbox_id, %error, "expired messages not deleted");
        }
        after = turn.map(|turn| turn.organization_id);
        if is_first && after.is_none() {
            shutdown.sleep(PURGE_INTERVAL).await;
        }
    }
}

/// Resumes messages that an interrupted request left held.
async fn resume_queues(ports: WorkerPorts, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        match ports.holds.resume_unheld(RESUMED_BATCH).await {
            Ok(resumed) if resumed >= RESUMED_BATCH as usize => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "queue resumption failed"),
        }
        shutdown.sleep(RESUMPTION_INTERVAL).await;
    }
}

/// Deletes blobs of deleted rows after their retention, and blobs that never got a row.
///
/// It deletes none while the queue is held, because a restored database may be a copy and lacks the rows of later
/// blobs, and none in a store of another service.
async fn remove_blobs(app: App, ports: WorkerPorts, mut shutdown: Shutdown) {
    let rows = ports.blob_rows.as_ref();
    let mut owns_stores = false;
    while !shutdown.is_requested() {
        let is_released = match ports.holds.held_mail(&[]).await {
            Ok(held) => held.queue_since.is_none(),
            Err(error) => {
                tracing::warn!(%error, "hold of the queue not read");
                false
            }
        };
        if is_released && !owns_stores {
            let owned = app::require_own_stores(&app, rows).await;
            owns_stores = owned.inspect_err(|error| tracing::error!(%error, "blob removal suspended")).is_ok();
        }
        let is_unfinished = is_released
            && owns_stores
            && [
                has_more(app::blobs::remove_blobs(&app, rows).await, "removed objects"),
                has_more(app::blobs::sweep_blobs(&app, rows).await, "objects without rows"),
            ]
            .contains(&true);
        if !is_unfinished {
            shutdown.sleep(PURGE_INTERVAL).await;
        }
    }
}

/// Deletes MTA-STS policies that have expired or exceed the limit.
async fn evict_sts_policies(app: App, ports: WorkerPorts, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        if let Err(error) = ports.sts_policies.evict_sts_policies(app.clock.now(), MAX_STS_POLICY_BYTES).await {
            tracing::warn!(%error, "MTA-STS policy eviction failed");
        }
        shutdown.sleep(STS_EVICTION_INTERVAL).await;
    }
}

/// Puts the keys of the service's own domains in use as soon as their records are in DNS, until all are.
async fn begin_signing(app: App, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        match app::dkim::begin_signing(&app).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => tracing::error!(%error, retry_in = ?DNS_POLL_INTERVAL, "service signing keys not in use"),
        }
        shutdown.sleep(DNS_POLL_INTERVAL).await;
    }
}

/// Slows, holds or resumes the sending of organizations by their rates of bounces and spam complaints.
async fn review_sending(app: App, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        match app::account::review_sending(&app).await {
            Ok(reviewed) => reviewed.into_iter().for_each(|(organization_id, result)| match result {
                Ok(None) => {}
                Ok(Some(reason)) => tracing::warn!(%organization_id, reason, "brake on sending changed"),
                Err(error) => tracing::warn!(%organization_id, %error, "brake on sending not applied"),
            }),
            Err(error) => tracing::warn!(%error, "rates of bounces and complaints not reviewed"),
        }
        shutdown.sleep(BRAKE_REVIEW_INTERVAL).await;
    }
}

/// Appends feed events about calendar events that start or end.
async fn announce_calendar_moments(app: App, mut shutdown: Shutdown) {
    while !shutdown.is_requested() {
        match app::calendar::announce_moments(&app).await {
            Ok((has_more, failed)) => {
                for (due, error) in failed {
                    let Destination { organization_id, inbox_id, .. } = due.destination;
                    tracing::error!(%organization_id, %inbox_id, %error, "calendar start or end not recorded");
                }
                if has_more {
                    continue;
                }
            }
            Err(error) => tracing::warn!(%error, "starts and ends of calendar events not read"),
        }
        shutdown.sleep(CALENDAR_POLL_INTERVAL).await;
    }
}

/// Returns whether more is left to do. The next round repeats what failed.
fn has_more(done: Result<bool, inboxd_core::Error>, rows: &str) -> bool {
    done.inspect_err(|error| tracing::error!(%error, rows, "periodic job failed")).unwrap_or(false)
}
