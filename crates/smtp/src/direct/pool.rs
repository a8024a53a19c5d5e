//! Few connections to one host at a time, and those that wait for the next mail.
//!
//! Whoever wants a connection to an address takes a turn first. An open connection is handed on before another is opened,
//! so that there are never more connections to an address than turns.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use super::hosts::Host;
use super::options::DirectOptions;
use super::session::Protection;
use crate::client::Timeouts;
use crate::client::connection::Connection;

/// How many connections may wait for the next mail, to all hosts together.
const MOST_IDLE: usize = 256;

/// An address, the host that was looked for there, and how its sessions are protected. Sessions are handed on among equals
/// only: what was proved for one name was not proved for another.
pub(super) type Place<'a> = (SocketAddr, &'a Host, Protection);

struct Idle {
    address: SocketAddr,
    host: String,
    protection: Protection,
    since: Instant,
    connection: Connection,
}

impl Idle {
    fn is_of(&self, (address, host, protection): Place<'_>) -> bool {
        self.address == address && self.protection == protection && self.host == host.name()
    }
}

/// The connections of this process.
pub(super) struct Pool {
    turns: Mutex<HashMap<SocketAddr, Arc<Semaphore>>>,
    idle: Mutex<Vec<Idle>>,
    connections: usize,
    turn: Duration,
    idle_for: Duration,
    timeouts: Timeouts,
}

impl Pool {
    pub(super) fn new(options: &DirectOptions) -> Self {
        Self {
            turns: Mutex::default(),
            idle: Mutex::default(),
            connections: options.connections,
            turn: options.turn,
            idle_for: options.idle_for,
            timeouts: options.timeouts,
        }
    }

    /// Waits for a turn with an address, for a bounded time.
    pub(super) async fn turn(&self, address: SocketAddr) -> Option<OwnedSemaphorePermit> {
        let turns = {
            let mut all = locked(&self.turns);
            // Nobody holds or waits for the turns of the others.
            all.retain(|known, turns| *known == address || Arc::strong_count(turns) > 1);
            Arc::clone(all.entry(address).or_insert_with(|| Arc::new(Semaphore::new(self.connections))))
        };
        timeout(self.turn, turns.acquire_owned()).await.ok()?.ok()
    }

    /// A waiting connection that can take the next mail.
    pub(super) async fn take(&self, place: Place<'_>) -> Option<Connection> {
        loop {
            let mut connection = self.pop(place)?;
            if connection.is_ready(&self.timeouts).await {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection for the next mail, while there is room. Whoever hands it in still has the turn.
    pub(super) fn put(&self, (address, host, protection): Place<'_>, connection: Connection) {
        let mut idle = self.fresh();
        if idle.len() < MOST_IDLE {
            idle.push(Idle { address, host: host.name(), protection, since: Instant::now(), connection });
        }
    }

    fn pop(&self, place: Place<'_>) -> Option<Connection> {
        let mut idle = self.fresh();
        let found = idle.iter().rposition(|idle| idle.is_of(place));
        if let Some(found) = found {
            return Some(idle.swap_remove(found).connection);
        }
        // One that was opened for another name takes up the room of the one that is opened now.
        if let Some(other) = idle.iter().position(|idle| idle.address == place.0) {
            idle.swap_remove(other);
        }
        None
    }

    fn fresh(&self) -> MutexGuard<'_, Vec<Idle>> {
        let mut idle = locked(&self.idle);
        idle.retain(|idle| idle.since.elapsed() < self.idle_for);
        idle
    }
}

/// The lists stay whole even when a holder of the lock has panicked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
