//! What keeps searches fast: new mail is taken into the index behind them, and the parts of the index are merged.
//!
//! Nobody waits for any of it, so it takes what others leave: after each of its steps it rests, several times as long as the
//! step took while mail comes in. A step takes longer where others are at work as well, and so does the rest.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use inboxd_core::Error;
use inboxd_core::app::{App, search};
use inboxd_core::ports::IndexedInbox;
use inboxd_postgres::PgStore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{sleep, sleep_until};

use crate::serve::Shutdown;

/// How many times as long as it worked it rests while mail comes in.
const REST_WHILE_RECEIVING: u32 = 8;
/// How many times as long as it worked it rests otherwise.
const REST: u32 = 1;
/// The shortest rest where no more was to be done: many mails are indexed at once for less than one by one.
const SHORTEST_REST: Duration = Duration::from_millis(100);
/// How often it looks for inboxes that nobody told of: another process stores their mail, or did before it died. Less often
/// where there are so many inboxes that looking takes long.
const LOOK: Duration = Duration::from_secs(10);
/// How many times as long as such a look took it rests at least.
const REST_AFTER_LOOK: u32 = 100;
/// How many inboxes such a look takes at a time.
const INBOXES: u32 = 100;
/// How many inboxes wait for a merge at most. What is left out comes again with its next mail.
const WAITING: usize = 1_000;

/// Takes new mail into the index until shutdown, and merges what becomes of it: what this process stores soon, that of others
/// when it looks for it.
pub(crate) async fn index(app: App, store: Arc<PgStore>, shutdown: Shutdown) {
    let (to_merge, mergeable) = channel(WAITING);
    let merger = Indexer { app: app.clone(), pace: Pace::of(Arc::clone(&store)), shutdown: shutdown.clone() };
    let flusher = Indexer { app, pace: Pace::of(Arc::clone(&store)), shutdown };
    tokio::join!(flusher.flush(store, to_merge), merger.merge(mergeable));
}

struct Indexer {
    app: App,
    pace: Pace,
    shutdown: Shutdown,
}

impl Indexer {
    async fn flush(mut self, store: Arc<PgStore>, to_merge: Sender<IndexedInbox>) {
        let mut next_look = Instant::now();
        let mut queue = Queue::default();
        loop {
            if let Some(due) = store.due_to_index().now_or_never() {
                queue.add(due);
            }
            if next_look <= Instant::now() {
                let began = Instant::now();
                queue.add(self.unindexed().await);
                next_look = Instant::now() + (began.elapsed() * REST_AFTER_LOOK).max(LOOK);
            }
            // One step for each in turn, so that an inbox which gets mail without end holds up no other.
            let Some(inbox) = queue.next() else {
                tokio::select! {
                    () = self.shutdown.comes() => return,
                    () = sleep_until(next_look.into()) => {}
                    due = store.due_to_index() => queue.add(due),
                }
                continue;
            };
            let began = Instant::now();
            let is_more = tokio::select! {
                () = self.shutdown.comes() => return,
                done = search::index_some(&self.app, &inbox) => is_more(done, &inbox),
            };
            let rest = began.elapsed() * self.pace.rest();
            // Where there is no room, it is told of again.
            let _ = to_merge.try_send(inbox.clone());
            let rest = if is_more { rest } else { rest.max(SHORTEST_REST) };
            queue.add(is_more.then_some(inbox));
            tokio::select! {
                () = self.shutdown.comes() => return,
                () = sleep(rest) => {}
            }
        }
    }

    async fn merge(mut self, mut mergeable: Receiver<IndexedInbox>) {
        let mut queue = Queue::default();
        loop {
            while let Ok(inbox) = mergeable.try_recv() {
                queue.add([inbox]);
            }
            let Some(inbox) = queue.next() else {
                tokio::select! {
                    () = self.shutdown.comes() => return,
                    inbox = mergeable.recv() => queue.add(inbox),
                }
                continue;
            };
            let rest = self.pace.rest();
            let is_more = tokio::select! {
                () = self.shutdown.comes() => return,
                done = search::merge_some(&self.app, &inbox, rest) => is_more(done, &inbox),
            };
            if is_more {
                queue.add([inbox]);
            }
        }
    }

    /// The inboxes that nobody told of; those that could be read.
    async fn unindexed(&self) -> Vec<IndexedInbox> {
        let mut all: Vec<IndexedInbox> = Vec::new();
        loop {
            match search::inboxes_to_index(&self.app, all.last(), INBOXES).await {
                Ok(some) if some.is_empty() => return all,
                Ok(some) => all.extend(some),
                Err(error) => {
                    tracing::warn!(%error, "it could not be looked for mail that is not indexed; it is tried again");
                    return all;
                }
            }
        }
    }
}

/// Inboxes in the order in which they came, each once.
#[derive(Default)]
struct Queue {
    order: VecDeque<IndexedInbox>,
    queued: BTreeSet<IndexedInbox>,
}

impl Queue {
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

/// How fast it may go.
struct Pace {
    store: Arc<PgStore>,
    /// How many messages had come in when it was last looked.
    seen: u64,
}

impl Pace {
    fn of(store: Arc<PgStore>) -> Self {
        let seen = store.left_to_index();
        Self { store, seen }
    }

    /// How many times as long as it worked it rests.
    fn rest(&mut self) -> u32 {
        let came = self.store.left_to_index();
        if std::mem::replace(&mut self.seen, came) == came { REST } else { REST_WHILE_RECEIVING }
    }
}

/// Whether more is left to do for an inbox. What failed is tried again with its next mail.
fn is_more(done: Result<bool, Error>, inbox: &IndexedInbox) -> bool {
    let inbox_id = &inbox.inbox_id;
    done.inspect_err(|error| tracing::error!(%inbox_id, %error, "mail could not be indexed; it is tried again"))
        .unwrap_or(false)
}
