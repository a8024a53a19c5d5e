//! The store: a pool of connections, each question on one of them.

use std::sync::Arc;

use async_trait::async_trait;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use inboxd_core::ports::{Signal, Store, StoreError, Tx};

use crate::connection::{self, Connection, Plans};
use crate::error::no_connection;
use crate::migrate;
use crate::sql::Sql;
use crate::told::Told;
use crate::tx::PgTx;

/// How many connections are kept for telling of events, beside the others: what was announced as stored is told of however
/// many wait for a connection.
const TELLING: usize = 6;

/// Durable storage in PostgreSQL. Copies share their connections.
#[derive(Clone)]
pub struct PgStore {
    pool: Pool<AsyncPgConnection>,
    /// For giving places, and for what those are told who wait for events.
    telling: Pool<AsyncPgConnection>,
    told: Arc<Told>,
    /// What tells the signals of this one from those of others.
    name: Arc<str>,
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Connects to the database of a `postgres://` URL, with at most `pool_size` connections at a time.
///
/// # Errors
/// When the database cannot be reached.
pub async fn connect(url: &str, pool_size: usize) -> Result<PgStore, StoreError> {
    let pool = connection::pool(url, pool_size, Plans::AsItSeemsBest)?;
    let telling = connection::pool(url, TELLING, Plans::Once)?;
    let name = Sql::new("SELECT gen_random_uuid()::text AS name");
    let name: Option<NameRow> = name.row(&mut *pool.get().await.map_err(no_connection)?).await?;
    let name = name.ok_or_else(|| StoreError::Failed("the database gave no name".to_owned()))?.name.into();
    Ok(PgStore { pool, telling, told: Arc::default(), name })
}

impl PgStore {
    /// Waits until units of work of this process have committed something that others may wait for, and answers what: each
    /// is told once, to whoever asks first. [`Signal::Feed`] says here that there are events without a place in it.
    pub async fn committed(&self) -> Vec<Signal> {
        self.told.take().await
    }

    /// Borrows a connection.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }

    /// Borrows a connection of those for telling of events.
    pub(crate) async fn telling(&self) -> Result<Connection, StoreError> {
        self.telling.get().await.map_err(no_connection)
    }

    /// What this one is called among those on the database.
    pub(crate) fn name(&self) -> &str {
        &self.name
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
