//! Connections that wait for the next mail.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::options::RelayOptions;
use crate::client::Timeouts;
use crate::client::connection::Connection;

/// A few open sessions, the newest on top.
pub(super) struct Pool {
    idle: Mutex<Vec<(Connection, Instant)>>,
    most: usize,
    idle_for: Duration,
    timeouts: Timeouts,
}

impl Pool {
    pub(super) fn new(options: &RelayOptions) -> Self {
        Self {
            idle: Mutex::new(Vec::new()),
            most: options.max_idle,
            idle_for: options.idle_for,
            timeouts: options.timeouts,
        }
    }

    /// A session that can take the next mail.
    pub(super) async fn take(&self) -> Option<Connection> {
        loop {
            let mut connection = self.pop()?;
            if connection.is_ready(&self.timeouts).await {
                return Some(connection);
            }
        }
    }

    /// Keeps a session, unless there are enough.
    pub(super) fn put(&self, connection: Connection) {
        let mut idle = self.lock();
        idle.retain(|(_, since)| since.elapsed() < self.idle_for);
        if idle.len() < self.most {
            idle.push((connection, Instant::now()));
        }
    }

    fn pop(&self) -> Option<Connection> {
        let mut idle = self.lock();
        idle.retain(|(_, since)| since.elapsed() < self.idle_for);
        idle.pop().map(|(connection, _)| connection)
    }

    /// The list stays whole even when a holder of the lock has panicked.
    fn lock(&self) -> MutexGuard<'_, Vec<(Connection, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("idle", &self.lock().len()).field("most", &self.most).finish_non_exhaustive()
    }
}
