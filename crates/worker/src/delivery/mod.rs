//! Delivery of the outgoing queue.
//!
//! The journal retains the outcome of each attempt until it is stored, through crashes of this process and of the database.

mod fast_path;
mod limits;
mod recalls;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt};
use inboxd_core::app::{self, App, processes};
use inboxd_core::model::{Claim, DeliveryOutcome, DeliveryReport, OpenWork, QueuedMail};
use inboxd_core::ports::{Courier, StoreError, Transport, WorkJournal};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use self::fast_path::{DispatchedWork, FastPath};
use self::limits::{DeliveryLimits, DeliveryPermit};
use self::recalls::RecallRegistry;
use crate::heartbeat::Heartbeat;
use crate::journal::FileJournal;
use crate::metrics::WorkerMetrics;
use crate::ports::WorkerPorts;
use crate::recovery::{recover, try_recover};
use crate::shutdown::Shutdown;
use crate::spans::export_delivery;
use crate::wake::WakeSignals;

/// The time that an outcome waits for others to be stored with it, while an organization has many.
const OUTCOME_LINGER: Duration = Duration::from_millis(5);
/// Messages with outcomes that cannot be stored, beside those in delivery.
const MAX_UNSTORED: usize = 256;
/// Messages of silent processes that are recovered at a time: they share the connections of the workers.
const TAKEOVER_LIMIT: usize = 8;
/// The time between two polls of the queue: another process may have queued a message, or a retry may be due.
const QUEUE_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The time between two searches for the work of dead processes.
const RECOVERY_INTERVAL: Duration = Duration::from_secs(5);
/// The time without claims after an outage of the database. A lease may have expired whose holder, in any process, knows the
/// outcome: holders go first.
const OUTAGE_DELAY: Duration = Duration::from_secs(3);

/// Divisor of the permits that must be free before a queue with more messages is read again: reading costs about the same for
/// one message as for many.
const FREE_DIVISOR: usize = 4;

/// The worker that delivers the outgoing queue.
pub struct DeliveryWorker {
    fast_path: Arc<FastPath>,
    dispatches: UnboundedReceiver<DispatchedWork>,
    limits: Arc<DeliveryLimits>,
    recalls: Arc<RecallRegistry>,
    journal: Arc<FileJournal>,
    metrics: Arc<WorkerMetrics>,
}

impl DeliveryWorker {
    /// Creates a worker without messages in progress.
    #[must_use]
    pub fn new(journal: Arc<FileJournal>, delivers_directly: bool, metrics: Arc<WorkerMetrics>) -> Self {
        let limits = Arc::new(DeliveryLimits::new(delivers_directly));
        let recalls = Arc::new(RecallRegistry::default());
        let (fast_path, dispatches) = FastPath::new(Arc::clone(&limits), Arc::clone(&recalls), Arc::clone(&journal));
        Self { fast_path: Arc::new(fast_path), dispatches, limits, recalls, journal, metrics }
    }

    /// Returns the fast path to this worker.
    #[must_use]
    pub fn courier(&self) -> Arc<dyn Courier> {
        Arc::clone(&self.fast_path) as Arc<dyn Courier>
    }

    /// Returns a function that recalls the messages in progress.
    pub fn recall(&self) -> impl Fn() + Send + Sync + 'static {
        let recalls = Arc::clone(&self.recalls);
        move || {
            let messages = recalls.recall_all();
            if messages > 0 {
                tracing::warn!(messages, "messages in progress recalled");
            }
        }
    }

    /// Delivers until shutdown, and then completes the attempts in progress. Work of dead processes goes first.
    pub async fn run(
        self,
        app: App,
        ports: WorkerPorts,
        transport: Arc<dyn Transport>,
        heartbeat: Arc<Heartbeat>,
        wake: Arc<WakeSignals>,
        shutdown: Shutdown,
    ) {
        let Self { fast_path, dispatches, limits, recalls, journal, metrics } = self;
        let own_recalls = Arc::clone(&recalls);
        let deliveries =
            DeliveryLoop { app, transport, journal, heartbeat, wake, shutdown, limits, recalls: own_recalls, metrics };
        tokio::select! {
            () = deliveries.run(&fast_path, dispatches) => {}
            () = recalls.watch(ports.holds.as_ref()) => {}
        }
    }

    /// Reads the holds, before any message can leave.
    pub async fn read_holds(&self, ports: &WorkerPorts) -> Result<(), StoreError> {
        self.recalls.read(ports.holds.as_ref()).await
    }
}

/// Delivers queued messages.
#[derive(Clone)]
struct DeliveryLoop {
    app: App,
    transport: Arc<dyn Transport>,
    journal: Arc<FileJournal>,
    heartbeat: Arc<Heartbeat>,
    wake: Arc<WakeSignals>,
    shutdown: Shutdown,
    limits: Arc<DeliveryLimits>,
    recalls: Arc<RecallRegistry>,
    metrics: Arc<WorkerMetrics>,
}

impl DeliveryLoop {
    async fn run(mut self, fast_path: &FastPath, mut dispatches: UnboundedReceiver<DispatchedWork>) {
        let all = self.limits.free();
        let mut running = JoinSet::new();
        self.recover_at_start(&mut running).await;
        let mut recovery = tokio::time::interval_at(Instant::now() + RECOVERY_INTERVAL, RECOVERY_INTERVAL);
        recovery.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut poll = tokio::time::interval(QUEUE_POLL_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Whether messages may wait in the queue.
        let mut is_waiting = true;
        while !self.shutdown.is_requested() {
            if is_waiting && self.limits.free() >= all / FREE_DIVISOR {
                is_waiting = self.claim_from_queue(all, &mut running).await;
            }
            tokio::select! {
                () = self.shutdown.requested() => {}
                Some(dispatch) = dispatches.recv() => self.accept(dispatch, &mut running),
                () = self.wake.outgoing.notified() => {
                    self.limits.close();
                    is_waiting = true;
                }
                Some(_) = running.join_next() => {}
                _ = poll.tick() => is_waiting = self.claim_from_queue(all, &mut running).await,
                _ = recovery.tick() => self.take_over(&mut running),
            }
            while running.try_join_next().is_some() {}
        }
        fast_path.close();
        while let Some(dispatch) = dispatches.recv().await {
            self.accept(dispatch, &mut running);
        }
        while running.join_next().await.is_some() {}
    }

    /// Claims due messages within the limits. Returns whether more may wait; otherwise new messages may be dispatched at
    /// once.
    async fn claim_from_queue(&mut self, all: usize, running: &mut JoinSet<()>) -> bool {
        self.limits.close();
        let free = if running.len() < all + MAX_UNSTORED { self.limits.free() } else { 0 };
        let Some(claimed) = self.claim(free, running).await else { return true };
        let has_more = claimed.len() == free;
        for mail in claimed {
            let permit = self.limits.acquire(&mail);
            running.spawn(self.clone().attempt(mail, None, permit));
        }
        if !has_more {
            self.limits.open();
        }
        has_more
    }

    /// Accepts a dispatch of the fast path.
    fn accept(&self, dispatch: DispatchedWork, running: &mut JoinSet<()>) {
        match dispatch {
            DispatchedWork::Mail { mail, raw, permit } => running.spawn(self.clone().attempt(*mail, Some(raw), permit)),
            DispatchedWork::Claim(claim) => running.spawn(self.clone().recover(OpenWork { claim, outcomes: None })),
        };
    }

    /// Recovers the work of dead processes. Leases may have expired while no process ran: known outcomes are stored before the
    /// messages can be claimed again.
    async fn recover_at_start(&mut self, running: &mut JoinSet<()>) {
        let left = self.journal.take_over();
        running.spawn(self.clone().take_over_claims());
        let recovering = left.iter().map(|work| try_recover(&self.app, &self.journal, work));
        let recovered = join_all(recovering).await;
        let open: Vec<_> = left.into_iter().zip(recovered).filter(|(_, done)| done.is_err()).collect();
        if open.is_empty() {
            return;
        }
        for (work, _) in open {
            running.spawn(self.clone().recover(work));
        }
        self.outlast_outage().await;
    }

    /// Recovers the work of processes that died meanwhile.
    fn take_over(&self, running: &mut JoinSet<()>) {
        for work in self.journal.take_over() {
            running.spawn(self.clone().recover(work));
        }
        running.spawn(self.clone().take_over_claims());
    }

    /// Takes over the claims of processes that are dead by their journals or heartbeats.
    async fn take_over_claims(self) {
        let ended = self.journal.take_ended();
        // Their journals contain more than their heartbeats.
        self.heartbeat.forget(&ended);
        while !ended.is_empty() && !self.shutdown.is_requested() {
            match processes::release_ended(&self.app, &ended).await {
                Ok(claims) => {
                    tracing::info!(processes = ended.len(), claims, "claims of ended processes released");
                    break;
                }
                Err(error) => tracing::warn!(%error, "claims of ended processes not released"),
            }
            self.clone().rest(QUEUE_POLL_INTERVAL).await;
        }
        let silent = self.heartbeat.silent();
        if silent.is_empty() {
            return;
        }
        match processes::take_over(&self.app, self.journal.as_ref(), &silent).await {
            Ok(left) => {
                self.heartbeat.forget(&silent);
                tracing::info!(processes = silent.len(), works = left.len(), "claims of silent processes taken over");
                stream::iter(left).for_each_concurrent(TAKEOVER_LIMIT, |work| self.clone().recover(work)).await;
            }
            Err(error) => tracing::warn!(%error, "claims of silent processes not taken over"),
        }
    }

    async fn recover(self, work: OpenWork) {
        recover(self.app, self.journal, work, self.shutdown).await;
    }

    /// Claims due messages; `None` after a failure and a delay.
    async fn claim(&mut self, free: usize, running: &mut JoinSet<()>) -> Option<Vec<QueuedMail>> {
        if free == 0 {
            return Some(Vec::new());
        }
        let not_claimed = match app::claim_due_mail(&self.app, self.journal.as_ref(), self.limits.capacity()).await {
            Ok(claimed) => return Some(claimed),
            Err(not_claimed) => not_claimed,
        };
        tracing::error!(error = %not_claimed.error, retry_in = ?QUEUE_POLL_INTERVAL, "outgoing messages not claimed");
        for claim in not_claimed.undecided {
            running.spawn(self.clone().recover(OpenWork { claim, outcomes: None }));
        }
        self.rest(QUEUE_POLL_INTERVAL).await;
        if matches!(not_claimed.error, StoreError::Unavailable(_) | StoreError::Undecided(_)) {
            self.outlast_outage().await;
        }
        None
    }

    /// Waits for the end of an outage, and for holders of claims to store their outcomes.
    async fn outlast_outage(&mut self) {
        while !self.shutdown.is_requested() && self.app.store.ready().await.is_err() {
            self.rest(QUEUE_POLL_INTERVAL).await;
        }
        self.rest(OUTAGE_DELAY).await;
    }

    async fn rest(&mut self, time: Duration) {
        self.shutdown.sleep(time).await;
    }

    /// Attempts to deliver a message and stores the outcome. An outcome that cannot be stored waits without a permit. Content
    /// that is in memory is small.
    async fn attempt(self, mail: QueuedMail, content: Option<Vec<u8>>, permit: DeliveryPermit) {
        let metrics = Arc::clone(&self.metrics);
        metrics.running.inc();
        self.attempt_once(mail, content, permit).await;
        metrics.running.dec();
    }

    async fn attempt_once(self, mail: QueuedMail, content: Option<Vec<u8>>, permit: DeliveryPermit) {
        let Self { app, transport, journal, shutdown, limits, recalls, metrics, .. } = self;
        let registered = recalls.register(&mail);
        let outgoing_id = mail.outgoing_id;
        let claim = Claim::Mail((&mail).into());
        let size = match &content {
            Some(_) => 0,
            // Without its size the message cannot be read either.
            None => app::size_of(&app, &mail).await.unwrap_or(0),
        };
        let Some(bytes) = limits.acquire_bytes(&mail, size).await else {
            tracing::warn!(%outgoing_id, size, "no memory for message");
            drop((mail, permit));
            return recover(app, journal, OpenWork { claim, outcomes: None }, shutdown).await;
        };
        let recall = &registered.recall;
        if recall.is_recalled() {
            tracing::info!(%outgoing_id, "message recalled");
            drop((mail, permit));
            return recover(app, journal, OpenWork { claim, outcomes: None }, shutdown).await;
        }
        let started = Instant::now();
        let reports = app::attempt_delivery(&app, transport.as_ref(), journal.as_ref(), &mail, content, recall).await;
        let elapsed = started.elapsed();
        metrics.count_attempt(mail.route, mail.attempts, &reports, elapsed);
        export_delivery(&mail, &reports, elapsed);
        drop(bytes);
        let is_deferred = |report: &DeliveryReport| matches!(report.outcome, DeliveryOutcome::Deferred { .. });
        if recall.is_recalled() && reports.iter().all(is_deferred) {
            tracing::info!(%outgoing_id, "message recalled");
            drop((mail, permit));
            return recover(app, journal, OpenWork { claim, outcomes: None }, shutdown).await;
        }
        // The timer starts when the outcome waits.
        let linger = async { tokio::time::sleep(OUTCOME_LINGER).await };
        match app::settle_delivery(&app, &mail, &reports, linger).await {
            Ok(app::Delivered { delivered, bounced, deferred }) => {
                journal.settled(claim);
                let (attempt, reason) = (mail.attempts, reason(&reports));
                tracing::info!(%outgoing_id, delivered, bounced, deferred, attempt, reason, "delivery attempted");
            }
            Err(error) => {
                tracing::warn!(%outgoing_id, %error, "delivery outcome not stored");
                drop((mail, permit));
                let outcomes = Some(reports.into_iter().map(|report| report.outcome).collect());
                recover(app, journal, OpenWork { claim, outcomes }, shutdown).await;
            }
        }
    }
}

/// Returns why a message is deferred.
fn reason(reports: &[DeliveryReport]) -> Option<&str> {
    reports.iter().find_map(|report| match &report.outcome {
        DeliveryOutcome::Deferred { reason } => Some(reason.as_str()),
        DeliveryOutcome::Delivered | DeliveryOutcome::Refused { .. } => None,
    })
}
