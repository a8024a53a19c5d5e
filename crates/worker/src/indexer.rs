//! The indexer: adds new messages to the search index and merges its segments.
//!
//! No client waits for it, so it leaves the machine to others: it pauses after each step, several times as long as the step
//! took while mail arrives. On a busy machine steps take longer, and so do the pauses.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use inboxd_core::Error;
use inboxd_core::app::{App, search};
use inboxd_core::ports::{IndexBacklog, IndexedInbox};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep_until;

use crate::shutdown::Shutdown;

/// The length of a pause while mail arrives, in lengths of the step before.
const RECEIVING_PAUSE_FACTOR: u32 = 8;
/// The length of a pause otherwise, in lengths of the step before.
const PAUSE_FACTOR: u32 = 1;
/// The shortest pause after an inbox is up to date: many messages are indexed together for less than one by one.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// The least time between two polls for inboxes whose messages another process stores, or stored before it died.
const INBOX_POLL_INTERVAL: Duration = Duration::from_secs(10);
/// The least time between two polls, in lengths of the poll before.
const POLL_PAUSE_FACTOR: u32 = 100;
/// Inboxes that one query of a poll returns.
const POLLED_BATCH: u32 = 100;
/// Inboxes that wait for a merge. Others come again with their next message.
const MAX_WAITING_MERGES: usize = 1_000;

/// Indexes new messages until shutdown and merges segments. Messages of this process come soon, those of other processes with
/// the next poll.
pub(crate) async fn index(app: App, backlog: Arc<dyn IndexBacklog>, shutdown: Shutdown) {
    let (to_merge, mergeable) = channel(MAX_WAITING_MERGES);
    let merger = Indexer { app: app.clone(), pace: IndexerPace::of(Arc::clone(&backlog)), shutdown: shutdown.clone() };
    let indexer = Indexer { app, pace: IndexerPace::of(Arc::clone(&backlog)), shutdown };
    tokio::join!(indexer.index_new(backlog, to_merge), merger.merge(mergeable));
}

struct Indexer {
    app: App,
    pace: IndexerPace,
    shutdown: Shutdown,
}

impl Indexer {
    /// Indexes new messages, one batch of an inbox at a step, and passes each inbox on to the merger.
    async fn index_new(mut self, backlog: Arc<dyn IndexBacklog>, to_merge: Sender<IndexedInbox>) {
        let mut next_poll = Instant::now();
        let mut queue = InboxQueue::default();
        loop {
            if let Some(due) = backlog.due_to_index().now_or_never() {
                queue.add(due);
            }
            if next_poll <= Instant::now() {
                let began = Instant::now();
                queue.add(self.unindexed().await);
                next_poll = Instant::now() + (began.elapsed() * POLL_PAUSE_FACTOR).max(INBOX_POLL_INTERVAL);
            }
            // One step for each inbox in turn: an inbox under steady mail does not stop the others.
            let Some(inbox) = queue.next() else {
                tokio::select! {
                    () = self.shutdown.requested() => return,
                    () = sleep_until(next_poll.into()) => {}
                    due = backlog.due_to_index() => queue.add(due),
                }
                continue;
            };
            let began = Instant::now();
            let has_more = tokio::select! {
                () = self.shutdown.requested() => return,
                done = search::index_some(&self.app, &inbox) => has_more(done, &inbox),
            };
            let pause = began.elapsed() * self.pace.pause_factor();
            // An inbox that finds the channel full comes again with its next message.
            let _ = to_merge.try_send(inbox.clone());
            let pause = if has_more { pause } else { pause.max(MIN_PAUSE) };
            queue.add(has_more.then_some(inbox));
            self.shutdown.sleep(pause).await;
            if self.shutdown.is_requested() {
                return;
            }
        }
    }

    /// Merges the segments of inboxes that have new ones.
    async fn merge(mut self, mut mergeable: Receiver<IndexedInbox>) {
        let mut queue = InboxQueue::default();
        loop {
            while let Ok(inbox) = mergeable.try_recv() {
                queue.add([inbox]);
            }
            let Some(inbox) = queue.next() else {
                tokio::select! {
                    () = self.shutdown.requested() => return,
                    inbox = mergeable.recv() => queue.add(inbox),
                }
                continue;
            };
            let pause = self.pace.pause_factor();
            let has_more = tokio::select! {
                () = self.shutdown.requested() => return,
                done = search::merge_some(&self.app, &inbox, pause) => has_more(done, &inbox),
            };
            if has_more {
                queue.add([inbox]);
            }
        }
    }

    /// Returns the inboxes with unindexed messages, as far as they can be read.
    async fn unindexed(&self) -> Vec<IndexedInbox> {
        let mut all: Vec<IndexedInbox> = Vec::new();
        loop {
            match search::inboxes_to_index(&self.app, all.last(), POLLED_BATCH).await {
                Ok(batch) if batch.is_empty() => return all,
                Ok(batch) => all.extend(batch),
                Err(error) => {
                    tracing::warn!(%error, retry_in = ?INBOX_POLL_INTERVAL, "unindexed inbox query failed");
                    return all;
                }
            }
        }
    }
}

/// Inboxes in the order of their arrival, each once.
#[derive(Default)]
struct InboxQueue {
    order: VecDeque<IndexedInbox>,
    queued: BTreeSet<IndexedInbox>,
}

impl InboxQueue {
    fn add(&mut self, inboxes: impl IntoIterator<Item = IndexedInbox>) {
        for inbox in inboxes {
            if self.queued.insert(inbox.clone()) {
                self.order.push_back(inbox);
            }
        }
    }

    fn next(&mut self) -> Option<IndexedInbox> {
        let next = self.order.pop_front()?;
        self.queued.remove(&next);
        Some(next)
    }
}

/// The pace of the indexer.
pub(crate) struct IndexerPace {
    backlog: Arc<dyn IndexBacklog>,
    /// The number of messages that had arrived at the last call.
    seen: u64,
}

impl IndexerPace {
    pub(crate) fn of(backlog: Arc<dyn IndexBacklog>) -> Self {
        let seen = backlog.left_to_index();
        Self { backlog, seen }
    }

    /// Returns the length of the next pause, in lengths of the step before.
    pub(crate) fn pause_factor(&mut self) -> u32 {
        let arrived = self.backlog.left_to_index();
        let is_receiving = std::mem::replace(&mut self.seen, arrived) != arrived;
        if is_receiving { RECEIVING_PAUSE_FACTOR } else { PAUSE_FACTOR }
    }
}

/// Returns whether an inbox has more to do. The next message of the inbox repeats what failed.
fn has_more(done: Result<bool, Error>, inbox: &IndexedInbox) -> bool {
    let inbox_id = &inbox.inbox_id;
    done.inspect_err(|error| tracing::error!(%inbox_id, %error, "indexing failed")).unwrap_or(false)
}
