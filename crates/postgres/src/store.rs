//! Store: connection pools, each read on one connection.

mod port;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use deadpool::managed::{PoolError, TimeoutType, Timeouts};
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use inboxd_core::app::BlobContents;
use inboxd_core::ports::StoreError;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use crate::committed::CommittedQueue;
use crate::connection::{self, Connection, ConnectionTarget};
use crate::credentials::Keys;
use crate::error::{connect_failure, no_connection};
use crate::known::Known;
use crate::messages::get::MessageById;
use crate::query_batcher::QueryBatcher;
use crate::search::index_backlog::BacklogCounts;
use crate::sql::Sql;
use crate::store_metrics::{PoolObserver, StoreMetrics};
use crate::tx::PgTx;
use crate::wire::DiskShortage;

/// Default statement timeout.
pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(30);

/// Connections for publishing events, beside the others: committed events are published however many callers wait for a
/// connection.
const NOTIFY_CONNECTIONS: usize = 6;

/// Maximum concurrent reads of messages with large bodies: each needs a multiple of its size in memory.
const MAX_LARGE_READS: usize = 4;

/// Connections for lookups of keys and single messages: no list delays authentication.
const LOOKUP_CONNECTIONS: usize = 4;

/// Lookups of one HTTP worker that run at a time: one statement for keys and one for messages.
const LOCAL_LOOKUP_CONNECTIONS: usize = 2;

/// Maximum number of connections that one HTTP worker has for itself.
const MAX_LOCAL_CONNECTIONS: usize = 6;

/// Connections beside the pools of a process: for publishing events and for lookups, one that listens to signals, one
/// for the partitions, one for heartbeats, and one for the measurement of standbys.
const FIXED_CONNECTIONS: usize = NOTIFY_CONNECTIONS + LOOKUP_CONNECTIONS + 4;

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
    committed: Arc<CommittedQueue>,
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
    /// Metrics of the pool; `None` for one that is not observed.
    observer: Option<PoolObserver>,
    /// Store of the primary, where units of work begin; `None` where this store is on the primary.
    primary: Option<Arc<Self>>,
    /// Stores of contents outside the rows.
    pub(crate) blobs: Arc<BlobContents>,
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
        committed: Arc::default(),
        due: Arc::default(),
        known: Arc::default(),
        target,
        keys,
        messages,
        shortage,
        large_reads: Arc::new(Semaphore::new(MAX_LARGE_READS)),
        name,
        others: Arc::new(true.into()),
        observer: None,
        primary: None,
        blobs: Arc::default(),
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
        Ok(Self { pool, keys, messages, known: Arc::default(), observer: None, ..self.clone() })
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
        let local = connection::pool(&self.target, lists, &runtime)?;
        if let Some(observer) = &self.observer {
            observer.metrics.add("http_local", &local);
        }
        Ok(Self { local: Some(local), keys, messages, ..self.clone() })
    }

    /// Returns a store for each host of another URL, with at most `connections` to each, beside the name of the host.
    /// Reads go there, except those of keys; units of work begin on this store.
    pub(crate) fn at_standbys(&self, url: &str, connections: usize) -> Result<Vec<(String, Self)>, StoreError> {
        let runtime = connection::runtime()?;
        // Memory bounds these reads, however many standbys there are.
        let large_reads = Arc::new(Semaphore::new(MAX_LARGE_READS));
        let mut stores = Vec::new();
        for target in self.target.each_standby(url)? {
            let pool = connection::pool(&target, connections, &runtime)?;
            let store = Self {
                messages: QueryBatcher::new(&pool, LOOKUP_CONNECTIONS / 2),
                pool,
                local: None,
                known: Arc::default(),
                large_reads: Arc::clone(&large_reads),
                observer: None,
                primary: Some(Arc::new(self.clone())),
                ..self.clone()
            };
            stores.push((target.host_label(), store));
        }
        Ok(stores)
    }

    /// Returns the stores of contents outside its rows.
    #[must_use]
    pub fn blobs(&self) -> Arc<BlobContents> {
        Arc::clone(&self.blobs)
    }

    /// Returns the same store with contents outside its rows.
    #[must_use]
    pub fn with_blobs(self, blobs: Arc<BlobContents>) -> Self {
        Self { blobs, ..self }
    }

    /// Returns the same store with metrics of its pool under a name.
    #[must_use]
    pub fn observed(&self, metrics: &StoreMetrics, name: &'static str) -> Self {
        metrics.add(name, &self.pool);
        Self { observer: Some(metrics.observer(name)), ..self.clone() }
    }

    /// Adds the pool for publishing events to the metrics. All stores on a database share it.
    pub fn observe_event_pool(&self, metrics: &StoreMetrics) {
        metrics.add("events", &self.notify_pool);
    }

    /// Begins a unit of work.
    pub(crate) async fn unit_of_work(&self) -> Result<PgTx, StoreError> {
        self.begin_with("BEGIN").await
    }

    /// Begins a unit of work with another statement than `BEGIN`.
    pub(crate) async fn begin_with(&self, begin: &'static str) -> Result<PgTx, StoreError> {
        Ok(self.begin_on(self.connection().await?, begin))
    }

    /// Returns a unit of work on a connection of this store.
    fn begin_on(&self, connection: Connection, begin: &'static str) -> PgTx {
        let around = (Arc::clone(&self.committed), Arc::clone(&self.due), Arc::clone(&self.known));
        PgTx::new(connection, around, begin)
    }

    /// Borrows a connection.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        let started = Instant::now();
        let borrowed = self.pool.get().await;
        if let Some(observer) = &self.observer {
            observer.waits.observe(started.elapsed().as_secs_f64());
        }
        // The primary serves the reads of a standby that is away.
        borrowed.map_err(if self.primary.is_some() { connect_failure } else { no_connection })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connection_shares_stay_within_the_connections_of_a_process() {
        for (connections, workers, expected) in [
            (80, 2, (54, 6)),
            (80, 8, (34, 4)),
            (80, 16, (66, 0)),
            (80, 0, (66, 0)),
            (24, 1, (5, 5)),
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
