//! The unit of work: one transaction on one connection. The write ports are implemented on it, each in its own file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use diesel_async::pooled_connection::deadpool::Object;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::model::{InboxId, NewMail, OrganizationId};
use inboxd_core::ports::{CommittedChanges, IndexedInbox, Sequenced, Signal, StoreError, Tx};
use tokio::join;
use tokio::runtime::Handle;
use tokio::task::unconstrained;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::cte::END;
use crate::error::failure;
use crate::known::Known;
use crate::last::{Kept, Last, prepare, write};
use crate::messages::labels;
use crate::search::index_backlog::BacklogCounts;
use crate::threads::write as threads;
use crate::told::Told;

/// How long rolling back may take: a statement of the transaction may still be waiting for something.
const PATIENCE: Duration = Duration::from_secs(1);

/// A connection inside a transaction. Dropped as that, it is taken from the pool and closed: back in the pool, it would
/// still be inside and hold its locks.
struct Inside(Option<Connection>);

impl Inside {
    /// The connection goes back to the pool: its transaction has ended.
    fn ended(mut self) {
        self.0 = None;
    }

    /// Ends the transaction, so that a refusal costs no connection.
    async fn roll_back(mut self) {
        let Some(connection) = self.0.as_mut() else { return };
        if let Ok(Ok(())) = timeout(PATIENCE, connection.batch_execute("ROLLBACK")).await {
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

/// How far a transaction is.
enum Begun {
    /// It begins with these words, in the same flight as what is asked of it first.
    Not(&'static str),
    /// They are on their way. If they fail, or nobody waits for the answer any longer, nothing more is asked.
    Perhaps,
    /// Its statements are within.
    Yes,
}

/// A transaction. Dropped before it is committed, it is rolled back.
pub(crate) struct PgTx {
    /// `None` once the transaction has ended.
    inside: Option<Inside>,
    begun: Begun,
    /// What is written last.
    kept: Kept,
    /// What others may wait for.
    tells: BTreeSet<Signal>,
    /// Whom it tells once it is committed.
    told: Arc<Told>,
    /// How many changes of the messages of which inboxes it leaves to the index.
    leaves: BTreeMap<IndexedInbox, usize>,
    /// Who knows of them once it is committed.
    due: Arc<BacklogCounts>,
    /// What its connection has prepared.
    known: Arc<Known>,
}

impl PgTx {
    /// A transaction on a connection, which begins with one of the words for it.
    pub(crate) fn new(
        connection: Connection,
        (told, due, known): (Arc<Told>, Arc<BacklogCounts>, Arc<Known>),
        begin: &'static str,
    ) -> Self {
        Self {
            inside: Some(Inside(Some(connection))),
            begun: Begun::Not(begin),
            kept: Kept::default(),
            tells: BTreeSet::new(),
            told,
            leaves: BTreeMap::new(),
            due,
            known,
        }
    }

    /// Has the transaction begun, and asks it something in the same flight. `ask` only reads and locks: where the words for
    /// beginning fail, its statements have been run by themselves.
    pub(crate) async fn beginning<T>(
        &mut self,
        ask: impl AsyncFnOnce(&AsyncPgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.begun {
            Begun::Not(words) if !self.kept.has_changes() => self.first(words, ask).await,
            _ => ask(self.connection().await?).await,
        }
    }

    /// Asks the first of a transaction, behind the words by which it begins.
    async fn first<T>(
        &mut self,
        words: &str,
        ask: impl AsyncFnOnce(&AsyncPgConnection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut connection = self.inside.as_ref().and_then(|inside| inside.0.as_deref()).ok_or_else(over)?;
        self.begun = Begun::Perhaps;
        let asked = ask(connection);
        // A statement is sent when it is first looked at: these words before what is asked.
        let (begun, answer) = join!(biased; connection.batch_execute(words), asked);
        begun.map_err(failure)?;
        self.begun = Begun::Yes;
        answer
    }

    /// Has the transaction begun.
    async fn begin(&mut self) -> Result<(), StoreError> {
        match self.begun {
            Begun::Yes => Ok(()),
            Begun::Perhaps => Err(over()),
            Begun::Not(words) => self.first(words, async |_| Ok(())).await,
        }
    }

    /// Writes what is last and ends the transaction, in one flight: nobody waits for whoever asks, with what it has locked.
    async fn write_and_end(&mut self, last: &Last<'_>) -> Result<Vec<Sequenced>, StoreError> {
        self.begin().await?;
        let object = self.inside.as_ref().and_then(|inside| inside.0.as_ref()).ok_or_else(over)?;
        let (id, mut connection): (_, &AsyncPgConnection) = (Object::id(object), object);
        let shape = last.shape();
        if shape.is_nothing() {
            // PostgreSQL answers a COMMIT after a failed statement with a silent ROLLBACK. The SELECT before it, in the same
            // round trip, fails then.
            return connection.batch_execute("SELECT 1; COMMIT").await.map_err(undecided).map(|()| Vec::new());
        }
        if !self.known.contains(id, shape) {
            // A statement that is new to the connection is prepared when it is first run, and the end would come before it.
            prepare(connection, shape).await?;
            self.known.add(id, shape);
        }
        // It is sent when it is first looked at, though the task has done its share of work for now.
        let written = unconstrained(write(connection, last));
        let (written, end) = join!(biased; written, connection.batch_execute(END));
        match end.map_err(undecided) {
            // It ends only what is complete, whatever can be read of the answer.
            Ok(()) => Ok(written.unwrap_or_default()),
            Err(error) if matches!(error, StoreError::Undecided(_)) => Err(error),
            Err(error) => Err(written.err().unwrap_or(error)),
        }
    }

    /// Ends the transaction with mail and with what was kept.
    async fn end(&mut self, mail: &NewMail) -> Result<(), StoreError> {
        if !(self.kept.threads.is_empty() || mail.joined.is_empty()) {
            // The mail may join these very threads: they are written before.
            self.connection().await?;
        }
        let kept = std::mem::take(&mut self.kept);
        let last = Last::of(&kept, mail);
        if last.shape().is_nothing() && matches!(self.begun, Begun::Not(_)) {
            return Ok(());
        }
        let (committed, placed) = match self.write_and_end(&last).await {
            Ok(placed) => (Ok(()), placed),
            Err(error) => (Err(error), Vec::new()),
        };
        let appended = last.events().iter().map(|event| event.organization_id);
        let unplaced = appended.filter(|id| !placed.iter().any(|placed| placed.organization_id == *id));
        self.will_tell(unplaced.map(Signal::Feed));
        self.ended(committed, placed)
    }

    /// What becomes of a transaction that was committed, or was not.
    fn ended(&mut self, committed: Result<(), StoreError>, placed: Vec<Sequenced>) -> Result<(), StoreError> {
        // Where the answer was lost it may be committed all the same, and looking costs little. Events that had their places with
        // it are found by those who look each second.
        if matches!(committed, Ok(()) | Err(StoreError::Undecided(_))) {
            self.told.add(CommittedChanges { signals: std::mem::take(&mut self.tells), placed });
        }
        committed?;
        self.due.add(std::mem::take(&mut self.leaves));
        if let Some(inside) = self.inside.take() {
            inside.ended();
        }
        Ok(())
    }

    /// The connection, inside the transaction, which has written what whoever asks may need.
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

    /// What is written last. Whatever else is asked of the [connection](Self::connection) comes behind its threads and labels.
    pub(crate) fn kept(&mut self) -> &mut Kept {
        &mut self.kept
    }

    /// Has it known, after the commit, that the index of an inbox has to follow so many changes of messages.
    pub(crate) fn leaves_to_index(&mut self, organization_id: OrganizationId, inbox_id: &InboxId, messages: usize) {
        let inbox = IndexedInbox { organization_id, inbox_id: inbox_id.clone() };
        *self.leaves.entry(inbox).or_default() += messages;
    }

    /// Has it told, after the commit, what others may wait for.
    pub(crate) fn will_tell(&mut self, signals: impl IntoIterator<Item = Signal>) {
        self.tells.extend(signals);
    }
}

/// Why a transaction may not have ended.
fn undecided(error: diesel::result::Error) -> StoreError {
    match failure(error) {
        // The connection broke before the answer came.
        StoreError::Unavailable(cause) => StoreError::Undecided(cause),
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
