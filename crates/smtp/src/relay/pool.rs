//! Idle connections to the relay.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::options::RelayOptions;
use crate::client::ClientTimeouts;
use crate::client::connection::ClientConnection;

/// Idle connections, newest last.
pub(super) struct RelayPool {
    idle: Mutex<Vec<(ClientConnection, Instant)>>,
    max_idle: usize,
    idle_timeout: Duration,
    timeouts: ClientTimeouts,
}

impl RelayPool {
    pub(super) fn new(options: &RelayOptions) -> Self {
        Self {
            idle: Mutex::new(Vec::new()),
            max_idle: options.max_idle,
            idle_timeout: options.idle_timeout,
            timeouts: options.timeouts,
        }
    }

    /// Returns an idle connection that accepts another message.
    pub(super) async fn take(&self) -> Option<ClientConnection> {
        loop {
            let mut connection = self.pop()?;
            if connection.is_ready(&self.timeouts).await {
                return Some(connection);
            }
        }
    }

    /// Stores a connection within the limit.
    pub(super) fn put(&self, connection: ClientConnection) {
        let mut idle = self.lock();
        idle.retain(|(_, since)| since.elapsed() < self.idle_timeout);
        if idle.len() < self.max_idle {
            idle.push((connection, Instant::now()));
        }
    }

    fn pop(&self) -> Option<ClientConnection> {
        let mut idle = self.lock();
        idle.retain(|(_, since)| since.elapsed() < self.idle_timeout);
        idle.pop().map(|(connection, _)| connection)
    }

    /// Locks the list. A panic of another holder leaves it consistent.
    fn lock(&self) -> MutexGuard<'_, Vec<(ClientConnection, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RelayPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("idle", &self.lock().len()).field("most", &self.max_idle).finish_non_exhaustive()
    }
}
