//! The store: connections, and each question on one of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{IndexedInbox, LockWait, Store, StoreError, Tx};
use tokio::sync::Semaphore;

use crate::connection::{self, Connection, Target};
use crate::error::{failure, no_connection};
use crate::known::Known;
use crate::migrate;
use crate::near::{Everywhere, KEYS_AT_HOME, MAX_NEAR, Near};
use crate::search::due::Due;
use crate::sql::Sql;
use crate::told::{Committed, Told};
use crate::tx::PgTx;
use crate::wire::Shortage;

/// How long a statement may take unless the operator says otherwise.
pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// How many connections are kept for telling of events, beside the others: what was announced as stored is told of however
/// many wait for a connection.
const TELLING: usize = 6;

/// Messages with large bodies that are read at the same time: each takes a multiple of its size in memory.
const MAX_LARGE_READS: usize = 4;

/// Writes new pages, which are gone with the statement.
const PROBE: &str = "CREATE TEMPORARY TABLE space ON COMMIT DROP AS
    SELECT repeat('x', 1000) AS filling FROM generate_series(1, 1000)";

/// Connections beside the pools of a process: those for telling of events and for keys, the one that listens to signals,
/// one for the partitions, and one for heartbeats.
const FIXED: usize = TELLING + KEYS_AT_HOME + 3;

/// How the connections of a process are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionShares {
    /// In the pools that requests, sessions and workers share.
    pub shared: usize,
    /// For each worker of the HTTP server.
    pub near: usize,
}

impl ConnectionShares {
    /// Divides so many connections of a process with so many workers of the HTTP server, each of which has up to six, and
    /// all together half of what is left beside the fixed ones.
    #[must_use]
    pub fn of(connections: usize, http_workers: usize) -> Self {
        let left = connections.saturating_sub(FIXED);
        let near = (left / 2).checked_div(http_workers).map_or(0, |each| each.min(MAX_NEAR));
        // A single connection is none: lists would be in the way of keys.
        let near = if near < 2 { 0 } else { near };
        Self { shared: left.saturating_sub(near * http_workers).max(1), near }
    }
}

/// Durable storage in PostgreSQL. Copies share their connections.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<AsyncPgConnection>,
    /// For giving places, and for what those are told who wait for events.
    telling: Pool<AsyncPgConnection>,
    told: Arc<Told>,
    due: Arc<Due>,
    known: Arc<Known>,
    everywhere: Arc<Everywhere>,
    shortage: Shortage,
    /// Permits for reading messages with large bodies.
    pub(crate) large_reads: Arc<Semaphore>,
    /// What tells the signals of this one from those of others.
    name: Arc<str>,
    /// Whether anybody else may listen to signals.
    others: Arc<AtomicBool>,
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Connects to the database of a `postgres://` URL, with at most `pool_size` connections at a time, and as many again for
/// short questions of the runtimes that ask them, each of which has its share.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect(url: &str, pool_size: usize) -> Result<PgStore, StoreError> {
    connect_within(url, pool_size, STATEMENT_TIMEOUT).await
}

/// Connects like [`connect`], with this time for a statement.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect_within(url: &str, pool_size: usize, statement: Duration) -> Result<PgStore, StoreError> {
    let home = connection::home()?;
    let target = Target::new(url, statement)?;
    let pool = connection::pool(&target, pool_size, &home)?;
    let telling = connection::pool(&target, TELLING, &home)?;
    let shortage = target.shortage.clone();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let each = (pool_size / processors).min(MAX_NEAR);
    let everywhere = Arc::new(Everywhere::new(target, &pool, each, &home)?);
    let name = Sql::new("SELECT gen_random_uuid()::text AS name");
    let name: Option<NameRow> = name.row(&mut *pool.get().await.map_err(no_connection)?).await?;
    let name = name.ok_or_else(|| StoreError::Failed("the database gave no name".to_owned()))?.name.into();
    Ok(PgStore {
        pool,
        telling,
        told: Arc::default(),
        due: Arc::default(),
        known: Arc::default(),
        everywhere,
        shortage,
        large_reads: Arc::new(Semaphore::new(MAX_LARGE_READS)),
        name,
        others: Arc::new(true.into()),
    })
}

impl PgStore {
    /// Waits until units of work of this process have committed something that others may wait for, and answers what: each
    /// is told once, to whoever asks first.
    pub async fn committed(&self) -> Committed {
        self.told.take().await
    }

    /// What units of work of this process have committed that others may wait for, and nobody was told of yet.
    #[must_use]
    pub fn committed_now(&self) -> Committed {
        self.told.take_now()
    }

    /// Waits until units of work of this process have left enough messages of an inbox to be indexed, and answers which
    /// inboxes: each is told once, to whoever asks first.
    pub async fn due_to_index(&self) -> Vec<IndexedInbox> {
        self.due.take().await
    }

    /// How many messages the units of work of this process have left to be indexed, ever: who looks twice knows whether mail
    /// came in between.
    #[must_use]
    pub fn left_to_index(&self) -> u64 {
        self.due.added()
    }

    /// The same store on connections of its own: at most so many at a time, and so many for each runtime that asks short
    /// questions. Whoever uses it neither waits for those of others nor takes any from them.
    ///
    /// # Errors
    /// When the pool cannot be made.
    pub fn with_own_connections(&self, pool_size: usize, near: usize) -> Result<Self, StoreError> {
        let (home, target) = (connection::home()?, self.everywhere.target().clone());
        let pool = connection::pool(&target, pool_size, &home)?;
        let everywhere = Arc::new(Everywhere::new(target, &pool, near, &home)?);
        // Pools number their connections alike: what those of another have prepared says nothing of these.
        Ok(Self { pool, everywhere, known: Arc::default(), ..self.clone() })
    }

    /// Begins a unit of work.
    pub(crate) async fn unit_of_work(&self) -> Result<PgTx, StoreError> {
        self.begun_by("BEGIN").await
    }

    /// Begins a unit of work in other words than `BEGIN`.
    pub(crate) async fn begun_by(&self, begin: &'static str) -> Result<PgTx, StoreError> {
        let around = (Arc::clone(&self.told), Arc::clone(&self.due), Arc::clone(&self.known));
        Ok(PgTx::new(self.connection().await?, around, begin))
    }

    /// Those who ask short questions in the runtime that this is called in.
    pub(crate) fn near(&self) -> Result<Arc<Near>, StoreError> {
        self.everywhere.here()
    }

    /// Borrows a connection.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }

    /// Borrows a connection of those for telling of events.
    pub(crate) async fn telling(&self) -> Result<Connection, StoreError> {
        self.telling.get().await.map_err(no_connection)
    }

    /// Checks, after a write failed for lack of space, whether there is some again. A user who may not write this way learns
    /// it from the next write.
    async fn probe_space(&self, connection: &mut AsyncPgConnection) -> Result<(), StoreError> {
        if let Err(error @ StoreError::Unavailable(_)) = connection.batch_execute(PROBE).await.map_err(failure) {
            return Err(error);
        }
        self.shortage.clear();
        Ok(())
    }

    /// What this one is called among those on the database.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether other processes may listen, as far as it is known.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.others.load(Ordering::Relaxed)
    }

    /// Notes whether other processes listen.
    pub(crate) fn note_others(&self, others: bool) {
        self.others.store(others, Ordering::Relaxed);
    }
}

#[async_trait]
impl Store for PgStore {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(self.unit_of_work().await?))
    }

    async fn begin_within(&self, lock_wait: LockWait) -> Result<Box<dyn Tx>, StoreError> {
        let begin = match lock_wait {
            LockWait::Brief => "BEGIN; SET LOCAL lock_timeout = '100ms'",
            LockWait::Patient => "BEGIN; SET LOCAL lock_timeout = '500ms'",
        };
        Ok(Box::new(self.begun_by(begin).await?))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let missing = migrate::compare(&mut connection).await?.missing;
        if missing.is_empty() {
            return if self.shortage.is_reported() { self.probe_space(&mut connection).await } else { Ok(()) };
        }
        Err(StoreError::Unavailable(format!("migrations have not been applied: {}", missing.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_exceed_the_connections_of_a_process() {
        for (connections, workers, expected) in
            [(80, 2, (57, 6)), (80, 16, (37, 2)), (80, 64, (69, 0)), (80, 0, (69, 0)), (24, 2, (7, 3)), (1, 2, (1, 0))]
        {
            let ConnectionShares { shared, near } = ConnectionShares::of(connections, workers);
            assert_eq!((shared, near), expected, "{connections} {workers}");
            assert!(connections < 24 || FIXED + shared + near * workers <= connections, "{connections} {workers}");
        }
    }
}
