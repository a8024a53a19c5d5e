//! The store: connections, and each question on one of them.

use std::sync::Arc;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use inboxd_core::ports::{Signal, Store, StoreError, Tx};

use crate::connection::{self, Connection};
use crate::error::no_connection;
use crate::migrate;
use crate::near::{Everywhere, Near};
use crate::told::Told;
use crate::tx::PgTx;

/// Durable storage in PostgreSQL. Copies share one pool.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<AsyncPgConnection>,
    told: Arc<Told>,
    everywhere: Arc<Everywhere>,
}

/// Connects to the database of a `postgres://` URL, with at most `pool_size` connections at a time, and as many again for
/// short questions of the runtimes that ask them, each of which has its share.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect(url: &str, pool_size: usize) -> Result<PgStore, StoreError> {
    let home = connection::home()?;
    let pool = connection::pool(url, pool_size, &home)?;
    let everywhere = Arc::new(Everywhere::new(url, &pool, &home));
    let store = PgStore { pool, told: Arc::default(), everywhere };
    drop(store.connection().await?);
    Ok(store)
}

impl PgStore {
    /// Waits until units of work of this process have committed something that others may wait for, and answers what: each
    /// is told once, to whoever asks first. [`Signal::Feed`] says here that there are events without a place in it.
    pub async fn committed(&self) -> Vec<Signal> {
        self.told.take().await
    }

    /// Those who ask short questions in the runtime that this is called in.
    pub(crate) fn near(&self) -> Result<Arc<Near>, StoreError> {
        self.everywhere.here()
    }

    /// Borrows a connection.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }
}

#[async_trait]
impl Store for PgStore {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(PgTx::begin(self.connection().await?, Arc::clone(&self.told)).await?))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let missing = migrate::compare(&mut *self.connection().await?).await?.missing;
        if missing.is_empty() {
            return Ok(());
        }
        Err(StoreError::Unavailable(format!("migrations have not been applied: {}", missing.join(", "))))
    }
}
