//! The unit of work: one transaction on one connection. The write ports are implemented on it, each in its own file.

use async_trait::async_trait;
use diesel_async::pooled_connection::deadpool::Object;
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use inboxd_core::ports::{
    Accounts, ApiKeys, Billing, ClientIds, Domains, Drafts, Events, Inboxes, LabelHistory, Lists, Members, Messages,
    Notes, OutgoingQueue, Pods, SendKeys, SignIns, StoreError, Suppressions, Threads, Tx, Usage,
};

use crate::connection::Connection;
use crate::error::failure;

/// A transaction. Dropped before it is committed, it takes its connection with it: back in the pool, the connection
/// would still be inside the transaction and hold its locks.
pub(crate) struct PgTx {
    /// `None` once the transaction has ended.
    connection: Option<Connection>,
}

impl PgTx {
    /// Begins a transaction on a connection.
    pub(crate) async fn begin(connection: Connection) -> Result<Self, StoreError> {
        // The guard stands before the transaction does: this future may be dropped while it waits.
        let mut tx = Self { connection: Some(connection) };
        tx.connection()?.batch_execute("BEGIN").await.map_err(failure)?;
        Ok(tx)
    }

    /// The connection, inside the transaction.
    pub(crate) fn connection(&mut self) -> Result<&mut AsyncPgConnection, StoreError> {
        self.connection.as_deref_mut().ok_or_else(|| StoreError::Failed("the unit of work has ended".to_owned()))
    }
}

impl Drop for PgTx {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(Object::take(connection));
        }
    }
}

#[async_trait]
impl Tx for PgTx {
    fn accounts(&mut self) -> &mut dyn Accounts {
        self
    }

    fn api_keys(&mut self) -> &mut dyn ApiKeys {
        self
    }

    fn domains(&mut self) -> &mut dyn Domains {
        self
    }

    fn drafts(&mut self) -> &mut dyn Drafts {
        self
    }

    fn billing(&mut self) -> &mut dyn Billing {
        self
    }

    fn client_ids(&mut self) -> &mut dyn ClientIds {
        self
    }

    fn inboxes(&mut self) -> &mut dyn Inboxes {
        self
    }

    fn lists(&mut self) -> &mut dyn Lists {
        self
    }

    fn members(&mut self) -> &mut dyn Members {
        self
    }

    fn messages(&mut self) -> &mut dyn Messages {
        self
    }

    fn threads(&mut self) -> &mut dyn Threads {
        self
    }

    fn notes(&mut self) -> &mut dyn Notes {
        self
    }

    fn events(&mut self) -> &mut dyn Events {
        self
    }

    fn label_history(&mut self) -> &mut dyn LabelHistory {
        self
    }

    fn outgoing(&mut self) -> &mut dyn OutgoingQueue {
        self
    }

    fn pods(&mut self) -> &mut dyn Pods {
        self
    }

    fn send_keys(&mut self) -> &mut dyn SendKeys {
        self
    }

    fn sign_ins(&mut self) -> &mut dyn SignIns {
        self
    }

    fn suppressions(&mut self) -> &mut dyn Suppressions {
        self
    }

    fn usage(&mut self) -> &mut dyn Usage {
        self
    }

    async fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        // PostgreSQL answers a COMMIT after a failed statement with a silent ROLLBACK. The SELECT before it, in the same
        // round trip, fails then.
        self.connection()?.batch_execute("SELECT 1; COMMIT").await.map_err(|error| match failure(error) {
            // The connection broke before the answer came.
            StoreError::Unavailable(cause) => StoreError::Undecided(cause),
            error => error,
        })?;
        // Now the connection may go back to the pool.
        self.connection = None;
        Ok(())
    }
}
