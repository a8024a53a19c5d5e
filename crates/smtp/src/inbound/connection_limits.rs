//! Connection limits for each address, network and server, with replacement of idle sessions.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::rules::networks::ClientNetwork;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::options::ServerOptions;
use super::reply::Reply;

/// Number of sessions that yielded and have not closed yet. Beyond it new connections are refused.
const MAX_YIELDING: usize = 64;

/// Registry of open connections with their limits.
#[derive(Debug)]
pub(super) struct ConnectionLimits {
    max_server: usize,
    max_network: usize,
    max_address: usize,
    yield_after: Duration,
    epoch: Instant,
    admitted: AtomicUsize,
    /// Value of `admitted` for operators.
    gauge: Gauge,
    open: Mutex<OpenConnections>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next_number: u64,
    sessions: HashMap<u64, Arc<SessionActivity>>,
    yielding: usize,
    by_address: HashMap<IpAddr, usize>,
    by_network: HashMap<IpAddr, usize>,
}

/// Activity of one session.
#[derive(Debug)]
struct SessionActivity {
    client: ClientNetwork,
    /// Time of the last progress of a message, in milliseconds since the epoch of the registry.
    active_at: AtomicU64,
    /// Whether the session waits for its client. Only then it may yield.
    is_waiting: AtomicBool,
    is_yielding: AtomicBool,
    yielded: Notify,
}

/// Share of connections in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionPressure {
    /// At most half.
    Low,
    /// More than half.
    High,
    /// More than seven eighths.
    Severe,
}

impl ConnectionPressure {
    /// Shortens a time-out for this pressure.
    pub(super) fn shorten(self, limit: Duration) -> Duration {
        const MIN_TIMEOUT: Duration = Duration::from_secs(5);
        let divisor = match self {
            Self::Low => return limit,
            Self::High => 4,
            Self::Severe => 16,
        };
        (limit / divisor).max(MIN_TIMEOUT).min(limit)
    }
}

#[derive(Debug, Clone, Copy)]
enum CapScope {
    Address,
    Network,
    Server,
}

/// Admitted connection. Dropping it releases its place in the limits.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    connections: Arc<ConnectionLimits>,
    number: u64,
    activity: Arc<SessionActivity>,
}

impl ConnectionLimits {
    pub(super) fn new(options: &ServerOptions) -> Self {
        Self {
            max_server: options.max_connections,
            max_network: options.max_connections_per_network,
            max_address: options.max_connections_per_ip,
            yield_after: options.timeouts.yield_after,
            epoch: Instant::now(),
            admitted: AtomicUsize::new(0),
            gauge: options.metrics.connections.clone(),
            open: Mutex::default(),
        }
    }

    /// Admits a connection, or returns the refusal. At a limit, the longest idle session yields.
    pub(super) fn admit(self: &Arc<Self>, ip: IpAddr) -> Result<ConnectionPermit, Reply> {
        let client = ClientNetwork::of(ip);
        let mut open = self.lock();
        let caps = [
            (CapScope::Address, self.max_address, Reply::ClientFull),
            (CapScope::Network, self.max_network, Reply::NetworkFull),
            (CapScope::Server, self.max_server, Reply::ServerFull),
        ];
        for (scope, cap, refusal) in caps {
            if open.count(scope, client) >= cap && !self.yield_idle_session(&mut open, scope, client) {
                return Err(refusal);
            }
        }
        let number = open.next_number;
        open.next_number += 1;
        let activity = Arc::new(SessionActivity {
            client,
            active_at: AtomicU64::new(self.now()),
            is_waiting: AtomicBool::new(false),
            is_yielding: AtomicBool::new(false),
            yielded: Notify::new(),
        });
        open.sessions.insert(number, Arc::clone(&activity));
        *open.by_address.entry(client.address).or_default() += 1;
        *open.by_network.entry(client.network).or_default() += 1;
        self.update_count(&open);
        Ok(ConnectionPermit { connections: Arc::clone(self), number, activity })
    }

    /// Returns the share of connections in use.
    fn pressure(&self) -> ConnectionPressure {
        let admitted = self.admitted.load(Ordering::Relaxed);
        if admitted > self.max_server - self.max_server / 8 {
            ConnectionPressure::Severe
        } else if admitted > self.max_server / 2 {
            ConnectionPressure::High
        } else {
            ConnectionPressure::Low
        }
    }

    /// Makes the session with the largest weight in a scope yield: its idle time, multiplied by the number of
    /// connections beside it.
    ///
    /// The weight protects networks with few connections from those with many. A new connection never replaces sessions
    /// of a network with no more connections than its own, so clients that reconnect all the time are refused at once.
    fn yield_idle_session(&self, open: &mut OpenConnections, scope: CapScope, client: ClientNetwork) -> bool {
        if open.yielding >= MAX_YIELDING {
            return false;
        }
        let now = self.now();
        let count = |counts: &HashMap<IpAddr, usize>, key| counts.get(&key).copied().unwrap_or(0);
        let more_than = |own: usize, beside: usize| if beside > own { beside } else { 0 };
        let weigh = |session: &Arc<SessionActivity>| {
            let of = session.client;
            let beside = match scope {
                CapScope::Address => usize::from(of.address == client.address),
                CapScope::Network if of.network != client.network => 0,
                CapScope::Network => {
                    more_than(count(&open.by_address, client.address), count(&open.by_address, of.address))
                }
                CapScope::Server => {
                    more_than(count(&open.by_network, client.network), count(&open.by_network, of.network))
                }
            };
            let idle = now.saturating_sub(session.active_at.load(Ordering::Relaxed));
            idle.saturating_mul(u64::try_from(beside).unwrap_or(u64::MAX))
        };
        let may_yield = |session: &&Arc<SessionActivity>| {
            session.is_waiting.load(Ordering::Relaxed) && !session.is_yielding.load(Ordering::Relaxed)
        };
        let longest_idle = open.sessions.values().filter(may_yield).map(|session| (weigh(session), session));
        let Some((weight, session)) = longest_idle.max_by_key(|(weight, _)| *weight) else { return false };
        if u128::from(weight) < self.yield_after.as_millis().max(1) {
            return false;
        }
        session.is_yielding.store(true, Ordering::Relaxed);
        session.yielded.notify_one();
        let of = session.client;
        open.yielding += 1;
        open.release(of);
        true
    }

    fn update_count(&self, open: &OpenConnections) {
        let admitted = open.sessions.len() - open.yielding;
        self.admitted.store(admitted, Ordering::Relaxed);
        self.gauge.set(i64::try_from(admitted).unwrap_or(i64::MAX));
    }

    /// Returns the milliseconds since the epoch of the registry.
    fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Locks the registry. Nothing under the lock can panic, so a poisoned lock is still consistent.
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn count(&self, scope: CapScope, client: ClientNetwork) -> usize {
        match scope {
            CapScope::Address => self.by_address.get(&client.address).copied().unwrap_or(0),
            CapScope::Network => self.by_network.get(&client.network).copied().unwrap_or(0),
            CapScope::Server => self.sessions.len() - self.yielding,
        }
    }

    /// Subtracts one connection from the counts.
    fn release(&mut self, client: ClientNetwork) {
        for (counts, key) in [(&mut self.by_address, client.address), (&mut self.by_network, client.network)] {
            if let Some(count) = counts.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&key);
                }
            }
        }
    }
}

impl ConnectionPermit {
    /// Returns the share of connections in use.
    pub(super) fn pressure(&self) -> ConnectionPressure {
        self.connections.pressure()
    }

    /// Records progress of a message.
    pub(super) fn touch(&self) {
        self.activity.active_at.store(self.connections.now(), Ordering::Relaxed);
    }

    /// Waits for the client. Returns the output of `wait`, or `None` when the session must yield.
    pub(super) async fn wait_for_client<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        struct WaitingGuard<'a>(&'a AtomicBool);
        impl Drop for WaitingGuard<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Relaxed);
            }
        }
        let waiting = WaitingGuard(&self.activity.is_waiting);
        waiting.0.store(true, Ordering::Relaxed);
        tokio::select! {
            biased;
            () = self.activity.yielded.notified() => None,
            output = wait => Some(output),
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.sessions.remove(&self.number);
        if self.activity.is_yielding.load(Ordering::Relaxed) {
            open.yielding -= 1;
        } else {
            open.release(self.activity.client);
        }
        self.connections.update_count(&open);
    }
}
