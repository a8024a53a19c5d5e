//! Connections, and the pool that keeps them.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::QueueMode;
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::FutureExt;
use inboxd_core::ports::StoreError;
use tokio::runtime::Handle;

/// A connection on loan from the pool.
pub(crate) type Connection = Object<AsyncPgConnection>;

/// How long a caller waits for a free connection, and for a new one to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every connection starts with. Nothing may wait or stand still for ever: a statement, a lock, or a unit of work
/// whose process hangs. A statement ends soon after the connection it was asked on, with the locks of its unit of work,
/// where the system can tell. The plans of these short statements are not worth compiling, and not worth making anew for
/// every value: each is good for all of them, and is made once a connection. Errors are told apart by their English words,
/// which only privileged users may ask for.
const SETTINGS: &str = "
    SET application_name = 'inboxd';
    SET TIME ZONE 'UTC';
    SET client_min_messages = 'warning';
    SET default_transaction_isolation = 'read committed';
    SET statement_timeout = '30s';
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '60s';
    SET jit = off;
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    DO $$ BEGIN SET lc_messages = 'C'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
    DO $$ BEGIN SET client_connection_check_interval = '1s'; EXCEPTION WHEN invalid_parameter_value THEN NULL; END $$;
";

/// Makes a pool of at most `size` connections; it connects when it is first asked.
///
/// The task behind a connection belongs to `home`, not to whoever happens to ask first: a worker of the HTTP server has a
/// runtime of its own, and what it made would go with it.
pub(crate) fn pool(url: &str, size: usize, home: &Handle) -> Result<Pool<AsyncPgConnection>, StoreError> {
    let mut config = ManagerConfig::default();
    // A connection that was lost is noticed without asking the server at every loan.
    config.recycling_method = RecyclingMethod::Fast;
    let home = home.clone();
    config.custom_setup = Box::new(move |url| {
        let url = url.to_owned();
        let established = home.spawn(async move { establish(&url).await });
        async move { established.await.map_err(|error| ConnectionError::BadConnection(error.to_string()))? }.boxed()
    });
    Pool::builder(AsyncDieselConnectionManager::new_with_config(url, config))
        .max_size(size.max(1))
        // Who was just at work is warm: few connections do what few callers need, and the others rest.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(PATIENCE))
        .create_timeout(Some(PATIENCE))
        .recycle_timeout(Some(PATIENCE))
        .build()
        .map_err(|error| StoreError::Failed(error.to_string()))
}

/// The runtime that this is called in.
pub(crate) fn home() -> Result<Handle, StoreError> {
    Handle::try_current().map_err(|error| StoreError::Failed(error.to_string()))
}

/// Makes one connection.
pub(crate) async fn establish(url: &str) -> ConnectionResult<AsyncPgConnection> {
    let mut connection = AsyncPgConnection::establish(url).await?;
    connection.batch_execute(SETTINGS).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok(connection)
}
