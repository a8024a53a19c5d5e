//! Unit of work: one transaction on one connection.
//!
//! Each write port is implemented on it in a file of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use diesel_async::pooled_connection::deadpool::Object;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::model::{InboxId, NewMail, OrganizationId, StoredBlob};
use inboxd_core::ports::{CommittedChanges, IndexedInbox, Sequenced, Signal, StoreError, Tx};
use tokio::join;
use tokio::runtime::Handle;
use tokio::task::unconstrained;
use tokio::time::timeout;

use crate::blobs::rows::insert_blobs;
use crate::committed::CommittedQueue;
use crate::connection::Connection;
use crate::cte::END;
use crate::error::failure;
use crate::known::Known;
use crate::last::{Kept, Last, prepare, write};
use crate::messages::body::encode_bodies;
use crate::messages::labels;
use crate::search::index_backlog::BacklogCounts;
use crate::store_metrics::counted;
use crate::threads::summaries as threads;

/// Timeout of a rollback, which may queue behind a statement of the transaction that waits for a lock.
const ROLLBACK_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection inside a transaction.
///
/// Drop removes it from the pool and closes it: back in the pool, it would still hold the locks of the transaction.
struct Inside(Option<Connection>);

impl Inside {
    /// Returns the connection to the pool after the end of its transaction.
    fn ended(mut self) {
        self.0 = None;
    }

    /// Rolls back the transaction, so that a failed unit of work does not cost a connection.
    async fn roll_back(mut self) {
        let Some(connection) = self.0.as_mut() else { return };
        if let Ok(Ok(())) = timeout(ROLLBACK_TIMEOUT, connection.batch_execute("ROLLBACK")).await {
            self.ended();
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            drop(Object::take(connection));
        }
    }
}

/// Progress of the beginning of a transaction.
enum Begun {
    /// Not begun. This statement begins it in the round trip of its first query.
    Not(&'static str),
    /// The statement was sent. If it fails or its caller is cancelled, no further statement is sent.
    Perhaps,
    /// Begun: further statements run inside it.
    Yes,
}

/// A transaction, rolled back if dropped before its commit.
pub(crate) struct PgTx {
    /// `None` once the transaction has ended.
    inside: Option<Inside>,
    begun: Begun,
    /// Deferred writes for the commit batch.
    kept: Kept,
    /// Signals to send after the commit.
    signals: BTreeSet<Signal>,
    /// Collector of signals and events after commits.
    committed: Arc<CommittedQueue>,
    /// Number of changed messages by inbox that the search index does not contain yet.
    leaves: BTreeMap<IndexedInbox, usize>,
    /// Counts of unindexed messages, updated after the commit.
    due: Arc<BacklogCounts>,
    /// Statements that the connections of the pool have prepared.
    known: Arc<Known>,
}

impl PgTx {
    /// Creates a transaction on a connection. The statement `begin` begins it, on first use.
    pub(crate) fn new(
        connection: Connection,
        (committed, due, known): (Arc<CommittedQueue>, Arc<BacklogCounts>, Arc<Known>),
        begin: &'static str,
    ) -> Self {
        Self {
            inside: Some(Inside(Some(connection))),
            begun: Begun::Not(begin),
            kept: Kept::default(),
            signals: BTreeSet::new(),
            committed,
            leaves: BTreeMap::new(),
            due,
            known,
        }
    }

    /// Begins the transaction, unless it has begun, and runs a query in the same round trip.
    ///
    /// `ask` may only read and lock: if the beginning fails, its statements still run, each outside of a transaction.
    pub(crate) async fn beginning<T>(
        &mut self,
        ask: impl AsyncFnOnce(&AsyncPgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.begun {
            Begun::Not(words) if !self.kept.has_changes() => self.first(words, ask).await,
            _ => ask(self.connection().await?).await,
        }
    }

    /// Begins the transaction and runs its first query in one round trip.
    async fn first<T>(
        &mut self,
        words: &str,
        ask: impl AsyncFnOnce(&AsyncPgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.inside.as_ref().and_then(|inside| inside.0.as_deref()).ok_or_else(over)?;
        self.begun = Begun::Perhaps;
        let asked = ask(connection);
        // A statement is sent at the first poll of its future: the beginning before the query.
        let (begun, answer) = join!(biased; connection.batch_execute(words), asked);
        begun.map_err(failure)?;
        self.begun = Begun::Yes;
        answer
    }

    /// Begins the transaction, unless it has begun.
    async fn begin(&mut self) -> Result<(), StoreError> {
        match self.begun {
            Begun::Yes => Ok(()),
            Begun::Perhaps => Err(over()),
            Begun::Not(words) => self.first(words, async |_| Ok(())).await,
        }
    }

    /// Sends the commit batch and the end of the transaction in one round trip, so that its locks are not held over a
    /// second one.
    async fn write_and_end(&mut self, last: &Last<'_>) -> Result<Vec<Sequenced>, StoreError> {
        self.begin().await?;
        let object = self.inside.as_ref().and_then(|inside| inside.0.as_ref()).ok_or_else(over)?;
        let (id, mut connection): (_, &AsyncPgConnection) = (Object::id(object), object);
        let shape = last.shape();
        if shape.is_nothing() {
            // After a failed statement, PostgreSQL replies to COMMIT with a silent ROLLBACK. The SELECT before it, in
            // the same round trip, then fails.
            return connection.batch_execute("SELECT 1; COMMIT").await.map_err(undecided).map(|()| Vec::new());
        }
        if !self.known.contains(id, shape) {
            // A new statement takes a round trip for its preparation. Without one in advance, the end would arrive
            // before it.
            prepare(connection, shape).await?;
            self.known.add(id, shape);
        }
        // The batch is sent at its first poll, even if the cooperative budget of the task is spent.
        let written = unconstrained(write(connection, last));
        let (written, end) = join!(biased; written, connection.batch_execute(END));
        match end.map_err(undecided) {
            // The end succeeds only after a complete batch, even if its result rows are unreadable.
            Ok(()) => Ok(written.unwrap_or_default()),
            Err(error) if matches!(error, StoreError::Undecided(_)) => Err(error),
            Err(error) => Err(written.err().unwrap_or(error)),
        }
    }

    /// Ends the transaction with new mail and the deferred writes.
    async fn end(&mut self, mail: &NewMail) -> Result<(), StoreError> {
        let bodies = encode_bodies(&mail.messages).await?;
        let blobs: Vec<&StoredBlob> = mail.messages.iter().filter_map(|new| new.raw_blob.as_ref()).collect();
        if !blobs.is_empty() {
            insert_blobs(self.connection().await?, &blobs).await?;
        }
        if !(self.kept.threads.is_empty() || mail.joined.is_empty()) {
            // The mail may join the same threads, so their deferred state is written first.
            self.connection().await?;
        }
        let kept = std::mem::take(&mut self.kept);
        let last = Last::of(&kept, mail, &bodies);
        if last.shape().is_nothing() && matches!(self.begun, Begun::Not(_)) {
            return Ok(());
        }
        let (committed, placed) = match self.write_and_end(&last).await {
            Ok(placed) => (Ok(()), placed),
            Err(error) => (Err(error), Vec::new()),
        };
        let appended = last.events().iter().map(|event| event.organization_id);
        let unplaced = appended.filter(|id| !placed.iter().any(|placed| placed.organization_id == *id));
        self.add_signals(unplaced.map(Signal::Feed));
        self.ended(committed, placed)
    }

    /// Handles the result of a commit: publishes its signals and events, and releases the connection.
    fn ended(&mut self, committed: Result<(), StoreError>, placed: Vec<Sequenced>) -> Result<(), StoreError> {
        // A commit with a lost reply may have succeeded, and a needless signal costs little. Readers that poll each
        // second find its events that have positions.
        if matches!(committed, Ok(()) | Err(StoreError::Undecided(_))) {
            self.committed.add(CommittedChanges { signals: std::mem::take(&mut self.signals), placed });
        }
        committed?;
        self.due.add(std::mem::take(&mut self.leaves));
        if let Some(inside) = self.inside.take() {
            inside.ended();
        }
        Ok(())
    }

    /// Returns the connection inside the transaction, after the deferred threads and labels that a statement may read.
    pub(crate) async fn connection(&mut self) -> Result<&mut AsyncPgConnection, StoreError> {
        self.begin().await?;
        let connection = self.inside.as_mut().and_then(|inside| inside.0.as_deref_mut()).ok_or_else(over)?;
        let Kept { threads, labelled, .. } = &mut self.kept;
        if !threads.is_empty() {
            threads::update(connection, &std::mem::take(threads)).await?;
        }
        if !labelled.is_empty() {
            labels::update(connection, &std::mem::take(labelled)).await?;
        }
        Ok(connection)
    }

    /// Returns the deferred writes. [`connection`](Self::connection) writes their threads and labels before other
    /// statements.
    pub(crate) fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }

    /// Counts changed messages of an inbox for the search index, effective after the commit.
    pub(crate) fn leaves_to_index(&mut self, organization_id: OrganizationId, inbox_id: &InboxId, messages: usize) {
        let inbox = IndexedInbox { organization_id, inbox_id: inbox_id.clone() };
        *self.leaves.entry(inbox).or_default() += messages;
    }

    /// Adds signals to send after the commit.
    pub(crate) fn add_signals(&mut self, signals: impl IntoIterator<Item = Signal>) {
        self.signals.extend(signals);
    }
}

/// Returns the error of a failed end of a transaction.
fn undecided(error: diesel::result::Error) -> StoreError {
    match failure(error) {
        // The connection broke before the reply.
        StoreError::Unavailable(cause) => counted(StoreError::Undecided(cause)),
        error => error,
    }
}

fn over() -> StoreError {
    StoreError::Failed("the unit of work has not begun, or has ended".to_owned())
}

impl Drop for PgTx {
    fn drop(&mut self) {
        match (self.inside.take(), &self.begun) {
            (Some(inside), Begun::Not(_)) => inside.ended(),
            (Some(inside), _) => {
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(inside.roll_back());
                }
            }
            (None, _) => {}
        }
    }
}

#[async_trait]
impl Tx for PgTx {
    async fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        self.end(&NewMail::default()).await
    }

    async fn commit_with(mut self: Box<Self>, mail: &NewMail) -> Result<(), StoreError> {
        for item in mail.messages.iter().map(|new| &new.message.item) {
            self.leaves_to_index(item.organization_id, &item.inbox_id, 1);
        }
        self.end(mail).await
    }
}
