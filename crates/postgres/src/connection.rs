//! Connections and their pool.

use std::future::poll_fn;
use std::io;
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::QueueMode;
use diesel::connection::InstrumentationEvent;
use diesel::sql_types::Text;
use diesel::{ConnectionError, ConnectionResult, QueryableByName};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use inboxd_core::ports::StoreError;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_postgres::config::TargetSessionAttrs;
use tokio_postgres::{AsyncMessage, NoTls, Notification};

use crate::dial::{DatabaseAddress, ServerAddress, SocketLimits, with_cause};
use crate::retirement::RetirementLimits;
use crate::sql::Sql;
use crate::wire::{DiskShortage, WireStream};

/// A connection on loan from the pool.
pub(crate) type Connection = Object<AsyncPgConnection>;

/// Time limit for a free connection, and for a new one.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Session settings of each connection, beside the statement timeout.
///
/// No statement, lock or idle unit of work may last forever. A statement ends soon after its connection, with its
/// locks, if the system can detect the loss. These short statements are not worth JIT compilation, parallel workers or
/// replanning for each value, so each connection plans a statement once. A page at random costs little more than the
/// next one on solid-state disks and in memory: with the default, which is for rotating disks, a plan made before the
/// first analysis reads a whole table for one message (ADR 4).
const SETTINGS: &str = "
    SET application_name = 'inboxd';
    SET TIME ZONE 'UTC';
    SET client_min_messages = 'warning';
    SET default_transaction_isolation = 'read committed';
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s';
    SET jit = off;
    SET max_parallel_workers_per_gather = 0;
    SET plan_cache_mode = force_generic_plan;
    SET random_page_cost = 1.1;
    DO $$ BEGIN SET client_connection_check_interval = '1s'; EXCEPTION WHEN invalid_parameter_value THEN NULL; END $$;
";

/// Database of a `postgres://` URL.
#[derive(Clone)]
pub(crate) struct ConnectionTarget {
    pub(crate) url: String,
    address: DatabaseAddress,
    /// Statement timeout; silence of the server is tolerated a quarter longer at most.
    statement_timeout: Duration,
    /// Shortage of disk space that the server reported on any connection.
    pub(crate) shortage: DiskShortage,
    /// Limits after which pools close free connections.
    pub(crate) retirement: RetirementLimits,
}

impl ConnectionTarget {
    /// Returns the database of a URL.
    ///
    /// # Errors
    /// For an invalid URL.
    pub(crate) fn new(url: &str, statement_timeout: Duration) -> Result<Self, StoreError> {
        let address = DatabaseAddress::parse(url).map_err(StoreError::Failed)?;
        let (shortage, retirement) = Default::default();
        Ok(Self { url: url.to_owned(), address, statement_timeout, shortage, retirement })
    }

    /// Returns the database at each host of another URL, with the statement timeout of this one.
    ///
    /// # Errors
    /// For an invalid URL, and for one that excludes standbys.
    pub(crate) fn each_standby(&self, url: &str) -> Result<Vec<Self>, StoreError> {
        let whole = Self::new(url, self.statement_timeout)?;
        if whole.address.excludes_standbys() {
            let error = "target_session_attrs=read-write excludes every standby: remove it";
            return Err(StoreError::Failed(error.to_owned()));
        }
        let alone = |address| Self { address, shortage: DiskShortage::default(), ..whole.clone() };
        Ok(whole.address.each_host().into_iter().map(alone).collect())
    }

    /// Returns name and port of the first host.
    pub(crate) fn host_label(&self) -> String {
        self.address.host_label()
    }

    /// Returns whether several hosts are named, and the first one is used even if it is a standby.
    pub(crate) fn may_use_standby(&self) -> bool {
        self.address.may_use_standby()
    }

    /// Opens one connection.
    pub(crate) async fn establish(&self) -> ConnectionResult<AsyncPgConnection> {
        let silence = self.statement_timeout + self.statement_timeout / 4;
        let mut connection = open(&self.address, Some(silence), &self.shortage).await?;
        let settings = format!("{SETTINGS} SET statement_timeout = {}", self.statement_timeout.as_millis());
        connection.batch_execute(&settings).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(connection)
    }
}

/// Creates a pool of at most `size` connections; it connects at first use.
///
/// The background task of a connection runs on `handle`, not on the runtime of its first user: each HTTP worker has its
/// own runtime, and its tasks end with it.
pub(crate) fn pool(
    target: &ConnectionTarget,
    size: usize,
    handle: &Handle,
) -> Result<Pool<AsyncPgConnection>, StoreError> {
    let mut config = ManagerConfig::default();
    // A lost connection is detected without a query at each loan.
    config.recycling_method = RecyclingMethod::Fast;
    let (runtime, own) = (handle.clone(), target.clone());
    config.custom_setup = Box::new(move |_| {
        let target = own.clone();
        let established = runtime.spawn(async move { target.establish().await });
        async move { established.await.map_err(|error| ConnectionError::BadConnection(error.to_string()))? }.boxed()
    });
    let pool = Pool::builder(AsyncDieselConnectionManager::new_with_config(&target.url, config))
        .max_size(size.max(1))
        // The most recently used connection comes first, so that few connections serve few callers and the others stay
        // idle.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(ACQUIRE_TIMEOUT))
        .create_timeout(Some(ACQUIRE_TIMEOUT))
        .recycle_timeout(Some(ACQUIRE_TIMEOUT))
        .build()
        .map_err(|error| StoreError::Failed(error.to_string()))?;
    handle.spawn(target.retirement.enforce(pool.weak()));
    Ok(pool)
}

/// Returns the current runtime.
pub(crate) fn runtime() -> Result<Handle, StoreError> {
    Handle::try_current().map_err(|error| StoreError::Failed(error.to_string()))
}

/// Opens a connection for maintenance: without settings, and without a statement timeout.
pub(crate) async fn maintenance(url: &str) -> ConnectionResult<AsyncPgConnection> {
    open(&parse(url)?, None, &DiskShortage::default()).await
}

/// Opens a connection for notifications, which it passes on. It sends nothing after LISTEN; the keepalive of the system
/// detects a lost server, and the receiver ends.
pub(crate) async fn listener(url: &str) -> ConnectionResult<(AsyncPgConnection, UnboundedReceiver<Notification>)> {
    let (passing, notifications) = mpsc::unbounded_channel();
    let pass = move |message| {
        if let AsyncMessage::Notification(notification) = message {
            // Without a receiver the connection ends.
            let _ = passing.send(notification);
        }
    };
    let mut connection = first(&parse(url)?, None, &DiskShortage::default(), pass).await?;
    connection.batch_execute(SETTINGS).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok((connection, notifications))
}

fn parse(url: &str) -> ConnectionResult<DatabaseAddress> {
    DatabaseAddress::parse(url).map_err(ConnectionError::InvalidConnectionUrl)
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn refused(error: tokio_postgres::Error) -> ConnectionError {
    ConnectionError::BadConnection(with_cause(&error))
}

fn late(limit: Duration) -> ConnectionError {
    ConnectionError::BadConnection(format!("no connection within {} s", limit.as_secs()))
}

/// Opens a connection to the first server that accepts it.
async fn open(
    address: &DatabaseAddress,
    silence: Option<Duration>,
    shortage: &DiskShortage,
) -> ConnectionResult<AsyncPgConnection> {
    first(address, silence, shortage, |_| {}).await
}

/// Opens a connection as [`open`] does, and passes on its notices and notifications.
async fn first(
    address: &DatabaseAddress,
    silence: Option<Duration>,
    shortage: &DiskShortage,
    pass: impl Fn(AsyncMessage) + Clone + Send + 'static,
) -> ConnectionResult<AsyncPgConnection> {
    let servers = address.servers().await.map_err(broken)?;
    let is_only = servers.len() == 1;
    // The limit covers the login, so that a server that no longer responds leaves time for the next one.
    let limit = if is_only { ACQUIRE_TIMEOUT } else { SocketLimits::of(&address.config).connect };
    let mut refusals = Vec::new();
    for server in servers {
        let opened = timeout(limit, open_at(&server, address, silence, shortage, pass.clone())).await;
        match opened.unwrap_or_else(|_| Err(late(limit))) {
            Ok(connection) => {
                address.prefer(&server);
                return Ok(connection);
            }
            Err(error) if is_only => return Err(error),
            Err(error) => refusals.push(format!("{server}: {error}")),
        }
    }
    if refusals.is_empty() {
        return Err(ConnectionError::InvalidConnectionUrl("the database URL has no host".to_owned()));
    }
    Err(ConnectionError::BadConnection(refusals.join("; ")))
}

async fn open_at(
    server: &ServerAddress,
    address: &DatabaseAddress,
    silence: Option<Duration>,
    shortage: &DiskShortage,
    pass: impl Fn(AsyncMessage) + Send + 'static,
) -> ConnectionResult<AsyncPgConnection> {
    let config = &address.config;
    let wire = WireStream::new(address.connect(server).await.map_err(broken)?, silence, shortage.clone());
    let (client, mut driver) = config.connect_raw(wire, NoTls).await.map_err(refused)?;
    let (open, mut closed) = oneshot::channel::<()>();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = &mut closed => return,
                message = poll_fn(|context| driver.poll_message(context)) => match message {
                    Some(Ok(message)) => pass(message),
                    Some(Err(error)) => {
                        let cause = std::error::Error::source(&error).map(ToString::to_string);
                        tracing::warn!(%error, cause, "database connection lost");
                        return;
                    }
                    None => return,
                },
            }
        }
    });
    let mut connection = AsyncPgConnection::try_from(client).await?;
    // The instrumentation is dropped with its connection: a running statement then ends with its locks.
    connection.set_instrumentation(move |_: InstrumentationEvent<'_>| {
        let _ = &open;
    });
    match config.get_target_session_attrs() {
        TargetSessionAttrs::ReadWrite => {
            require_read_only(&mut connection, "off", "the server accepts no writes").await?;
        }
        TargetSessionAttrs::ReadOnly => {
            require_read_only(&mut connection, "on", "the server accepts writes").await?;
        }
        _ => {}
    }
    Ok(connection)
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn broken(error: io::Error) -> ConnectionError {
    ConnectionError::BadConnection(error.to_string())
}

/// Returns an error with a reason if the session's write mode differs from the wanted one.
async fn require_read_only(connection: &mut AsyncPgConnection, wanted: &str, reason: &str) -> ConnectionResult<()> {
    #[derive(QueryableByName)]
    struct ReadOnlyRow {
        #[diesel(sql_type = Text)]
        transaction_read_only: String,
    }
    let row = Sql::new("SHOW transaction_read_only").row::<ReadOnlyRow>(connection).await;
    let row = row.map_err(|error| ConnectionError::BadConnection(error.to_string()))?;
    if row.is_some_and(|row| row.transaction_read_only == wanted) {
        return Ok(());
    }
    Err(ConnectionError::BadConnection(format!("{reason}, which target_session_attrs excludes")))
}
