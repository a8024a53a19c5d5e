//! The store: a pool of connections, each question on one of them.

use std::sync::Arc;

use async_trait::async_trait;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use inboxd_core::ports::{IndexedInbox, Signal, Store, StoreError, Tx};

use crate::connection::{self, Connection};
use crate::error::no_connection;
use crate::migrate;
use crate::search::due::Due;
use crate::told::Told;
use crate::tx::PgTx;

/// Durable storage in PostgreSQL. Copies share one pool.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<AsyncPgConnection>,
    told: Arc<Told>,
    due: Arc<Due>,
}

/// Connects to the database of a `postgres://` URL, with at most `pool_size` connections at a time.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect(url: &str, pool_size: usize) -> Result<PgStore, StoreError> {
    let store = PgStore { pool: connection::pool(url, pool_size)?, told: Arc::default(), due: Arc::default() };
    drop(store.connection().await?);
    Ok(store)
}

impl PgStore {
    /// Waits until units of work of this process have committed something that others may wait for, and answers what: each
    /// is told once, to whoever asks first. [`Signal::Feed`] says here that there are events without a place in it.
    pub async fn committed(&self) -> Vec<Signal> {
        self.told.take().await
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

    /// Begins a unit of work.
    pub(crate) async fn unit_of_work(&self) -> Result<PgTx, StoreError> {
        self.begun_by("BEGIN").await
    }

    /// Begins a unit of work in other words than `BEGIN`.
    pub(crate) async fn begun_by(&self, begin: &str) -> Result<PgTx, StoreError> {
        PgTx::begin(self.connection().await?, Arc::clone(&self.told), Arc::clone(&self.due), begin).await
    }

    /// Borrows a connection.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }
}

#[async_trait]
impl Store for PgStore {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(self.unit_of_work().await?))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        let missing = migrate::compare(&mut *self.connection().await?).await?.missing;
        if missing.is_empty() {
            return Ok(());
        }
        Err(StoreError::Unavailable(format!("migrations have not been applied: {}", missing.join(", "))))
    }
}
