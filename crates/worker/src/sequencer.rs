//! The sequencer: positions of events that were committed without, and signals about new positions.

use std::collections::BTreeSet;
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Fuse, FusedFuture};
use inboxd_core::app::App;
use inboxd_core::app::feed;
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Sequenced, Signal};
use tokio::time::Instant;

use crate::ports::WorkerPorts;
use crate::shutdown::Shutdown;

/// The time between two searches for events without a position. The process that committed them may be dead.
const SEQUENCER_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Organizations that such a search returns at most.
const MAX_POLLED_ORGANIZATIONS: u32 = 100;
/// Maximum number of organizations in one sequencing statement.
const SEQUENCED_BATCH: usize = 10;
/// The time that events wait for a commit of their organization, which sequences them too, and the least time between the
/// starts of two statements.
const SEQUENCING_DELAY: Duration = Duration::from_millis(4);

/// Publishes committed events to their readers in this process and sends signals to other processes.
///
/// Events with a position are published at once. All others wait a moment, because a commit may sequence them; so the
/// sequencer runs a few hundred statements a second, however many events arrive. Failures are repeated every second.
#[derive(Clone)]
pub struct Sequencer {
    app: App,
    ports: WorkerPorts,
    is_worker: bool,
}

/// Committed changes that are not processed yet.
#[derive(Default)]
struct PendingSequence {
    /// Organizations with events that have no position.
    unsequenced: BTreeSet<OrganizationId>,
    /// Signals for other processes.
    signals: BTreeSet<Signal>,
}

impl Sequencer {
    /// Creates a sequencer. That of a worker also sequences the events of dead processes.
    #[must_use]
    pub fn new(app: App, ports: WorkerPorts, is_worker: bool) -> Self {
        Self { app, ports, is_worker }
    }

    /// Runs until shutdown.
    pub async fn run(&self, mut shutdown: Shutdown) {
        let (mut pending, mut failed) = (PendingSequence::default(), Vec::new());
        let mut polls = tokio::time::interval(SEQUENCER_POLL_INTERVAL);
        let (mut processing, mut polling) = (pin!(Fuse::terminated()), pin!(Fuse::terminated()));
        loop {
            if processing.is_terminated() && !pending.is_empty() {
                processing.set(self.process(std::mem::take(&mut pending)).fuse());
            }
            tokio::select! {
                () = shutdown.requested() => break,
                unsequenced = &mut processing => failed.extend(unsequenced),
                _ = polls.tick(), if polling.is_terminated() => polling.set(self.poll().fuse()),
                found = &mut polling => pending.unsequenced.extend(failed.drain(..).chain(found)),
                committed = self.ports.commits.committed() => {
                    let published = self.publish(committed.placed);
                    pending.add(committed.signals, published);
                }
            }
        }
        if !processing.is_terminated() {
            processing.await;
        }
        self.send_signals(pending.signals).await;
    }

    /// Processes the remaining changes once all other tasks of this process have ended.
    pub async fn finish(self) {
        let mut pending = PendingSequence::default();
        let committed = self.ports.commits.committed_now();
        let published = self.publish(committed.placed);
        pending.add(committed.signals, published);
        self.send_signals(pending.signals).await;
        pending.unsequenced.extend(self.find_unsequenced().await);
        self.sequence_all(pending.unsequenced).await;
    }

    /// Sends signals, and sequences events that no commit has sequenced meanwhile. Returns the organizations that failed.
    async fn process(&self, pending: PendingSequence) -> Vec<OrganizationId> {
        let next = Instant::now() + SEQUENCING_DELAY;
        self.send_signals(pending.signals).await;
        tokio::time::sleep_until(next).await;
        self.sequence_all(pending.unsequenced).await
    }

    /// Checks for other processes. Returns organizations with unsequenced events where this is a worker.
    async fn poll(&self) -> Vec<OrganizationId> {
        if let Err(error) = self.ports.signals.look_for_others().await {
            tracing::warn!(%error, "process lookup failed");
        }
        if self.is_worker { self.find_unsequenced().await } else { Vec::new() }
    }

    async fn find_unsequenced(&self) -> Vec<OrganizationId> {
        self.app.store.unsequenced(MAX_POLLED_ORGANIZATIONS).await.unwrap_or_else(|error| {
            tracing::warn!(%error, retry_in = ?SEQUENCER_POLL_INTERVAL, "unsequenced event query failed");
            Vec::new()
        })
    }

    /// Passes sequenced events to their readers in this process. Returns the organizations that other processes, if
    /// there are any, need a signal of.
    fn publish(&self, sequenced: Vec<Sequenced>) -> BTreeSet<OrganizationId> {
        let organizations = sequenced.iter().map(|sequenced| sequenced.organization_id).collect();
        for sequenced in sequenced {
            self.app.wake.placed(sequenced);
        }
        if self.ports.signals.has_others() { organizations } else { BTreeSet::new() }
    }

    /// Sends signals to other processes. Readers of a lost signal poll.
    async fn send_signals(&self, signals: BTreeSet<Signal>) {
        if signals.is_empty() {
            return;
        }
        let signals: Vec<Signal> = signals.into_iter().collect();
        if let Err(error) = self.ports.signals.send_signals(&signals).await {
            tracing::warn!(%error, "signals not sent");
        }
    }

    /// Sequences the events of organizations. Returns the organizations that failed.
    async fn sequence_all(&self, organizations: BTreeSet<OrganizationId>) -> Vec<OrganizationId> {
        let organizations: Vec<OrganizationId> = organizations.into_iter().collect();
        let mut failed = Vec::new();
        for batch in organizations.chunks(SEQUENCED_BATCH) {
            failed.extend(self.sequence(batch).await);
        }
        failed
    }

    /// Sequences one batch, and each organization alone where the batch fails: one does not stop the others. Returns the
    /// organizations that failed.
    async fn sequence(&self, batch: &[OrganizationId]) -> Vec<OrganizationId> {
        let mut failed = Vec::new();
        if feed::sequence(&self.app, batch).await.is_ok() {
            return failed;
        }
        for organization_id in batch {
            if let Err(error) = feed::sequence(&self.app, &[*organization_id]).await {
                tracing::warn!(%organization_id, %error, retry_in = ?SEQUENCER_POLL_INTERVAL, "events not sequenced");
                failed.push(*organization_id);
            }
        }
        failed
    }
}

impl PendingSequence {
    fn is_empty(&self) -> bool {
        self.unsequenced.is_empty() && self.signals.is_empty()
    }

    /// Adds the signals of a commit, and the organizations with new positions to signal to other processes.
    fn add(&mut self, committed: BTreeSet<Signal>, published: BTreeSet<OrganizationId>) {
        self.signals.extend(published.into_iter().map(Signal::Feed));
        for signal in committed {
            match signal {
                Signal::Feed(organization_id) => drop(self.unsequenced.insert(organization_id)),
                Signal::Access(_) => drop(self.signals.insert(signal)),
                Signal::Lost => {}
            }
        }
    }
}
