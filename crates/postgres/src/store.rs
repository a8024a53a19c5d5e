//! Store: connection pools, each read on one connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use deadpool::managed::{PoolError, TimeoutType, Timeouts};
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{CommitWatch, CommittedChanges, IndexBacklog, IndexedInbox, LockWait, Store, StoreError, Tx};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::connection::{self, Connection, ConnectionTarget};
use crate::credentials::Keys;
use crate::error::{failure, no_connection};
use crate::known::Known;
use crate::messages::get::MessageById;
use crate::migrate;
use crate::query_batcher::QueryBatcher;
use crate::search::index_backlog::BacklogCounts;
use crate::sql::Sql;
use crate::told::Told;
use crate::tx::PgTx;
use crate::wire::DiskShortage;

/// Default statement timeout.
pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Connections for publishing events, beside the others: committed events are published however many callers wait for a
/// connection.
const NOTIFY_CONNECTIONS: usize = 6;

/// Maximum concurrent reads of messages with large bodies: each needs a multiple of its size in memory.
const MAX_LARGE_READS: usize = 4;

/// Writes new pages, which are dropped with the statement.
const PROBE: &str = "CREATE TEMPORARY TABLE space ON COMMIT DROP AS
    SELECT repeat('x', 1000) AS filling FROM generate_series(1, 1000)";

/// Connections for lookups of keys and single messages: no list delays authentication.
const LOOKUP_CONNECTIONS: usize = 4;

/// Lookups of one HTTP worker that run at a time: one statement for keys and one for messages.
const LOCAL_LOOKUP_CONNECTIONS: usize = 2;

/// Maximum number of connections that one HTTP worker has for itself.
const MAX_LOCAL_CONNECTIONS: usize = 6;

/// Connections beside the pools of a process: for publishing events and for lookups, one that listens to signals, one
/// for the partitions, and one for heartbeats.
const FIXED_CONNECTIONS: usize = NOTIFY_CONNECTIONS + LOOKUP_CONNECTIONS + 3;

/// Division of the connections of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionShares {
    /// Connections in the pools that requests, sessions and workers share.
    pub shared: usize,
    /// Connections of each HTTP worker for [`PgStore::with_local_connections`].
    pub local: usize,
}

impl ConnectionShares {
    /// Divides the connections of a process with a number of HTTP workers. Local connections take at most half of those
    /// that are not fixed.
    #[must_use]
    pub fn of(connections: usize, http_workers: usize) -> Self {
        let free = connections.saturating_sub(FIXED_CONNECTIONS);
        let local = (free / 2).checked_div(http_workers).map_or(0, |local| local.min(MAX_LOCAL_CONNECTIONS));
        let local = if local > LOCAL_LOOKUP_CONNECTIONS { local } else { 0 };
        Self { shared: free.saturating_sub(local * http_workers).max(1), local }
    }
}

/// Durable storage in PostgreSQL. Clones share their connections.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<AsyncPgConnection>,
    /// Connections of one HTTP worker for lists; `None` in the store of all others.
    local: Option<Pool<AsyncPgConnection>>,
    /// Connections for assigning positions and for the notifications about events.
    notify_pool: Pool<AsyncPgConnection>,
    told: Arc<Told>,
    due: Arc<BacklogCounts>,
    known: Arc<Known>,
    target: ConnectionTarget,
    /// Lookups of keys, on connections of their own.
    pub(crate) keys: QueryBatcher<Keys>,
    /// Lookups of single messages.
    pub(crate) messages: QueryBatcher<MessageById>,
    shortage: DiskShortage,
    /// Permits for reading messages with large bodies.
    pub(crate) large_reads: Arc<Semaphore>,
    /// Name that distinguishes the signals of this store from those of others.
    name: Arc<str>,
    /// Whether other processes may listen to signals.
    others: Arc<AtomicBool>,
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Connects to the database of a `postgres://` URL, with at most `pool_size` connections, and a few for keys and
/// events.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect(url: &str, pool_size: usize) -> Result<PgStore, StoreError> {
    connect_within(url, pool_size, STATEMENT_TIMEOUT).await
}

/// Connects like [`connect`], with a statement timeout.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect_within(url: &str, pool_size: usize, statement: Duration) -> Result<PgStore, StoreError> {
    let home = connection::runtime()?;
    let target = ConnectionTarget::new(url, statement)?;
    let pool = connection::pool(&target, pool_size, &home)?;
    let notify_pool = connection::pool(&target, NOTIFY_CONNECTIONS, &home)?;
    let shortage = target.shortage.clone();
    let (keys, messages) = lookups(&target, LOOKUP_CONNECTIONS, &home)?;
    let name = Sql::new("SELECT gen_random_uuid()::text AS name");
    let name: Option<NameRow> = name.row(&mut *pool.get().await.map_err(no_connection)?).await?;
    let name = name.ok_or_else(|| StoreError::Failed("the database returned no name".to_owned()))?.name.into();
    Ok(PgStore {
        pool,
        local: None,
        notify_pool,
        told: Arc::default(),
        due: Arc::default(),
        known: Arc::default(),
        target,
        keys,
        messages,
        shortage,
        large_reads: Arc::new(Semaphore::new(MAX_LARGE_READS)),
        name,
        others: Arc::new(true.into()),
    })
}

/// Creates the lookups of keys and messages, on connections of their own with tasks in a runtime. Each kind has
/// half of them, and runs at most one statement for each processor at a time, so that neither waits for the other.
fn lookups(
    target: &ConnectionTarget,
    connections: usize,
    runtime: &Handle,
) -> Result<(QueryBatcher<Keys>, QueryBatcher<MessageById>), StoreError> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let statements = processors.min(connections / 2);
    let pool = connection::pool(target, connections, runtime)?;
    Ok((QueryBatcher::new(&pool, statements), QueryBatcher::new(&pool, statements)))
}

impl PgStore {
    /// Returns the same store on connections of its own, at most `pool_size`. Its callers do not compete with those of
    /// other stores.
    ///
    /// # Errors
    /// When the pool cannot be created.
    pub fn with_own_connections(&self, pool_size: usize) -> Result<Self, StoreError> {
        let home = connection::runtime()?;
        let pool = connection::pool(&self.target, pool_size, &home)?;
        let (keys, messages) = lookups(&self.target, LOOKUP_CONNECTIONS, &home)?;
        // Pools number their connections alike, so prepared statements of another pool do not apply.
        Ok(Self { pool, keys, messages, known: Arc::default(), ..self.clone() })
    }

    /// Returns the same store with at most `connections` more, with tasks in the runtime of the caller. Lookups
    /// and lists of that runtime use them, so that a response of the database wakes no other thread. On two processors
    /// this raises the rate of first reads and lists by a third.
    ///
    /// # Errors
    /// [`StoreError::Failed`] outside of a runtime.
    pub fn with_local_connections(&self, connections: usize) -> Result<Self, StoreError> {
        let Some(lists) = connections.checked_sub(LOCAL_LOOKUP_CONNECTIONS).filter(|&lists| lists > 0) else {
            return Ok(self.clone());
        };
        let runtime = connection::runtime()?;
        let (keys, messages) = lookups(&self.target, LOCAL_LOOKUP_CONNECTIONS, &runtime)?;
        Ok(Self { local: Some(connection::pool(&self.target, lists, &runtime)?), keys, messages, ..self.clone() })
    }

    /// Begins a unit of work.
    pub(crate) async fn unit_of_work(&self) -> Result<PgTx, StoreError> {
        self.begin_with("BEGIN").await
    }

    /// Begins a unit of work with another statement than `BEGIN`.
    pub(crate) async fn begin_with(&self, begin: &'static str) -> Result<PgTx, StoreError> {
        let around = (Arc::clone(&self.told), Arc::clone(&self.due), Arc::clone(&self.known));
        Ok(PgTx::new(self.connection().await?, around, begin))
    }

    /// Borrows a connection.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }

    /// Borrows a connection for a list: a free local one, or else one of the shared pool.
    pub(crate) async fn list_connection(&self) -> Result<Connection, StoreError> {
        if let Some(local) = &self.local {
            let timeouts = Timeouts { wait: Some(Duration::ZERO), ..local.timeouts() };
            match local.timeout_get(&timeouts).await {
                Err(PoolError::Timeout(TimeoutType::Wait)) => {}
                borrowed => return borrowed.map_err(no_connection),
            }
        }
        self.connection().await
    }

    /// Borrows a connection for publishing events.
    pub(crate) async fn notify_connection(&self) -> Result<Connection, StoreError> {
        self.notify_pool.get().await.map_err(no_connection)
    }

    /// Checks whether disk space is available again after a failed write. A user without the right to write this way
    /// notices it at the next write.
    async fn probe_space(&self, connection: &mut AsyncPgConnection) -> Result<(), StoreError> {
        if let Err(error @ StoreError::Unavailable(_)) = connection.batch_execute(PROBE).await.map_err(failure) {
            return Err(error);
        }
        self.shortage.clear();
        Ok(())
    }

    /// Returns the name of this store among those on the database.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether other processes may listen.
    pub(crate) fn others(&self) -> bool {
        self.others.load(Ordering::Relaxed)
    }

    /// Returns the URL of the database.
    pub(crate) fn url(&self) -> &str {
        &self.target.url
    }

    /// Records whether other processes listen.
    pub(crate) fn set_others(&self, others: bool) {
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
            LockWait::Brief => "BEGIN; SET LOCAL lock_timeout = '250ms'",
            LockWait::Patient => "BEGIN; SET LOCAL lock_timeout = '500ms'",
        };
        Ok(Box::new(self.begin_with(begin).await?))
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

#[async_trait]
impl CommitWatch for PgStore {
    async fn committed(&self) -> CommittedChanges {
        self.told.take().await
    }

    fn committed_now(&self) -> CommittedChanges {
        self.told.take_now()
    }
}

#[async_trait]
impl IndexBacklog for PgStore {
    async fn due_to_index(&self) -> Vec<IndexedInbox> {
        self.due.take().await
    }

    fn left_to_index(&self) -> u64 {
        self.due.added()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_shares_stay_within_the_connections_of_a_process() {
        for (connections, workers, expected) in [
            (80, 2, (55, 6)),
            (80, 8, (35, 4)),
            (80, 16, (67, 0)),
            (80, 0, (67, 0)),
            (24, 1, (6, 5)),
            (14, 2, (1, 0)),
            (1, 2, (1, 0)),
        ] {
            let ConnectionShares { shared, local } = ConnectionShares::of(connections, workers);
            assert_eq!((shared, local), expected, "{connections} {workers}");
            assert!(
                connections < 24 || FIXED_CONNECTIONS + shared + local * workers <= connections,
                "{connections} {workers}"
            );
        }
    }
}
