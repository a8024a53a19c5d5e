//! Connection pool of direct delivery, with permits for each address.
//!
//! A delivery acquires a permit of the address first. An idle connection is reused before another is opened, so an
//! address never has more connections than permits.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::rules::outgoing_tls::TlsRequirement;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::hosts::MailHost;
use super::options::DirectOptions;
use crate::client::ClientTimeouts;
use crate::client::connection::ClientConnection;

/// Number of idle connections to all hosts.
const MAX_IDLE_CONNECTIONS: usize = 256;

/// Address, host and TLS requirement of a connection. Only deliveries with an equal key reuse it: a certificate for one
/// host name proves nothing for another.
pub(super) type PoolKey<'a> = (SocketAddr, &'a MailHost, &'a TlsRequirement);

struct IdleConnection {
    address: SocketAddr,
    host: String,
    requirement: TlsRequirement,
    since: Instant,
    connection: ClientConnection,
}

impl IdleConnection {
    fn is_of(&self, (address, host, requirement): PoolKey<'_>) -> bool {
        self.address == address && self.requirement == *requirement && self.host == host.name()
    }
}

/// Connections of this process.
pub(super) struct DirectPool {
    permits: Mutex<HashMap<SocketAddr, Arc<Semaphore>>>,
    idle: Mutex<Vec<IdleConnection>>,
    max_connections: usize,
    acquire_timeout: Duration,
    idle_timeout: Duration,
    timeouts: ClientTimeouts,
}

impl DirectPool {
    pub(super) fn new(options: &DirectOptions) -> Self {
        Self {
            permits: Mutex::default(),
            idle: Mutex::default(),
            max_connections: options.max_connections,
            acquire_timeout: options.acquire_timeout,
            idle_timeout: options.idle_timeout,
            timeouts: options.timeouts,
        }
    }

    /// Waits for a permit of an address within the time limit.
    pub(super) async fn acquire(&self, address: SocketAddr) -> Option<OwnedSemaphorePermit> {
        let permits = {
            let mut all = locked(&self.permits);
            // Permits of other addresses without holders and waiters are dropped.
            all.retain(|known, permits| *known == address || Arc::strong_count(permits) > 1);
            Arc::clone(all.entry(address).or_insert_with(|| Arc::new(Semaphore::new(self.max_connections))))
        };
        timeout(self.acquire_timeout, permits.acquire_owned()).await.ok()?.ok()
    }

    /// Returns an idle connection that accepts another message.
    pub(super) async fn take(&self, key: PoolKey<'_>) -> Option<ClientConnection> {
        loop {
            let mut connection = self.pop(key)?;
            if connection.is_ready(&self.timeouts).await {
                return Some(connection);
            }
        }
    }

    /// Stores a connection for the next message within the limit. The caller still holds its permit.
    pub(super) fn put(&self, (address, host, requirement): PoolKey<'_>, connection: ClientConnection) {
        let mut idle = self.lock_idle();
        if idle.len() < MAX_IDLE_CONNECTIONS {
            let (host, requirement) = (host.name(), requirement.clone());
            idle.push(IdleConnection { address, host, requirement, since: Instant::now(), connection });
        }
    }

    fn pop(&self, key: PoolKey<'_>) -> Option<ClientConnection> {
        let mut idle = self.lock_idle();
        let found = idle.iter().rposition(|idle| idle.is_of(key));
        if let Some(found) = found {
            return Some(idle.swap_remove(found).connection);
        }
        // An idle connection of another host name at this address frees its place for the new connection.
        if let Some(other) = idle.iter().position(|idle| idle.address == key.0) {
            idle.swap_remove(other);
        }
        None
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        let mut idle = locked(&self.idle);
        idle.retain(|idle| idle.since.elapsed() < self.idle_timeout);
        idle
    }
}

/// Locks a list. A panic of another holder leaves it consistent.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
