//! Port of the store: begin of units of work, readiness, and changes after commits.

use async_trait::async_trait;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{CommitWatch, CommittedChanges, IndexBacklog, IndexedInbox, LockWait, Store, StoreError, Tx};

use super::PgStore;
use crate::error::{connect_failure, failure};
use crate::migrate;
use crate::tx::PgTx;

/// Writes new pages, which are dropped with the statement.
const PROBE: &str = "CREATE TEMPORARY TABLE space ON COMMIT DROP AS
    SELECT repeat('x', 1000) AS filling FROM generate_series(1, 1000)";

impl PgStore {
    /// Returns the store on which units of work begin.
    fn writer(&self) -> &Self {
        self.primary.as_deref().unwrap_or(self)
    }

    /// Begins a unit of work as one of several attempts: a failure to connect is not counted.
    pub(crate) async fn attempt_unit_of_work(&self) -> Result<PgTx, StoreError> {
        let store = self.writer();
        let connection = store.pool.get().await.map_err(connect_failure)?;
        Ok(store.begin_on(connection, "BEGIN"))
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
}

#[async_trait]
impl Store for PgStore {
    async fn begin(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(self.writer().unit_of_work().await?))
    }

    async fn begin_within(&self, lock_wait: LockWait) -> Result<Box<dyn Tx>, StoreError> {
        let begin = match lock_wait {
            LockWait::Brief => "BEGIN; SET LOCAL lock_timeout = '250ms'",
            LockWait::Patient => "BEGIN; SET LOCAL lock_timeout = '500ms'",
        };
        Ok(Box::new(self.writer().begin_with(begin).await?))
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
        self.committed.take().await
    }

    fn committed_now(&self) -> CommittedChanges {
        self.committed.take_now()
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
