//! Open connections: caps per address, network and server, and the session that gives way to a newcomer.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::rules::networks::ClientNetwork;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::options::ServerOptions;
use super::reply::Reply;

/// Sessions that gave way and have not closed yet. Beyond it newcomers are refused.
const MAX_YIELDING: usize = 64;

/// The connections that are open.
#[derive(Debug)]
pub(super) struct Connections {
    max_server: usize,
    max_network: usize,
    max_address: usize,
    yield_after: Duration,
    epoch: Instant,
    admitted: AtomicUsize,
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

/// What the registry knows of one session.
#[derive(Debug)]
struct SessionActivity {
    client: ClientNetwork,
    /// When the session last moved a message forward, in milliseconds since the epoch of the registry.
    active_at: AtomicU64,
    /// Whether the session waits for its client; only then it may give way.
    is_waiting: AtomicBool,
    is_yielding: AtomicBool,
    yielded: Notify,
}

/// How many of the connections are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressure {
    /// Up to half of them.
    Low,
    /// More than half.
    High,
    /// More than seven eighths.
    Severe,
}

impl Pressure {
    /// Returns a time-out as it is under this pressure.
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
enum Scope {
    Address,
    Network,
    Server,
}

/// One admitted connection. Dropped, it frees its room.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    connections: Arc<Connections>,
    number: u64,
    activity: Arc<SessionActivity>,
}

impl Connections {
    pub(super) fn new(options: &ServerOptions) -> Self {
        Self {
            max_server: options.max_connections,
            max_network: options.max_connections_per_network,
            max_address: options.max_connections_per_ip,
            yield_after: options.timeouts.yield_after,
            epoch: Instant::now(),
            admitted: AtomicUsize::new(0),
            open: Mutex::default(),
        }
    }

    /// Admits a connection, in place of the longest idle one where a cap is reached, or returns the refusal.
    pub(super) fn admit(self: &Arc<Self>, ip: IpAddr) -> Result<ConnectionPermit, Reply> {
        let client = ClientNetwork::of(ip);
        let mut open = self.lock();
        let caps = [
            (Scope::Address, self.max_address, Reply::ClientFull),
            (Scope::Network, self.max_network, Reply::NetworkFull),
            (Scope::Server, self.max_server, Reply::ServerFull),
        ];
        for (scope, cap, refusal) in caps {
            if open.count(scope, client) >= cap && !self.make_way(&mut open, scope, client) {
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
        self.note_count(&open);
        Ok(ConnectionPermit { connections: Arc::clone(self), number, activity })
    }

    /// Returns how many of the connections are taken.
    fn pressure(&self) -> Pressure {
        let admitted = self.admitted.load(Ordering::Relaxed);
        if admitted > self.max_server - self.max_server / 8 {
            Pressure::Severe
        } else if admitted > self.max_server / 2 {
            Pressure::High
        } else {
            Pressure::Low
        }
    }

    /// Closes the session of a scope that was idle for the longest time, counted once for each connection beside it.
    ///
    /// The weight keeps a network with many connections from displacing the few of others. Nor does a newcomer displace
    /// sessions of a network that has no more connections than its own: clients that reconnect all the time are refused at
    /// once, and the sessions that give way make room for others.
    fn make_way(&self, open: &mut OpenConnections, scope: Scope, client: ClientNetwork) -> bool {
        if open.yielding >= MAX_YIELDING {
            return false;
        }
        let now = self.now();
        let count = |counts: &HashMap<IpAddr, usize>, key| counts.get(&key).copied().unwrap_or(0);
        let more_than = |own: usize, beside: usize| if beside > own { beside } else { 0 };
        let weigh = |session: &Arc<SessionActivity>| {
            let of = session.client;
            let beside = match scope {
                Scope::Address => usize::from(of.address == client.address),
                Scope::Network if of.network != client.network => 0,
                Scope::Network => {
                    more_than(count(&open.by_address, client.address), count(&open.by_address, of.address))
                }
                Scope::Server => {
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
        open.forget(of);
        true
    }

    fn note_count(&self, open: &OpenConnections) {
        self.admitted.store(open.sessions.len() - open.yielding, Ordering::Relaxed);
    }

    /// Milliseconds since the epoch of the registry.
    fn now(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The counts stay right even when a holder of the lock has panicked: nothing under it can.
    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn count(&self, scope: Scope, client: ClientNetwork) -> usize {
        match scope {
            Scope::Address => self.by_address.get(&client.address).copied().unwrap_or(0),
            Scope::Network => self.by_network.get(&client.network).copied().unwrap_or(0),
            Scope::Server => self.sessions.len() - self.yielding,
        }
    }

    /// Takes one connection out of the counts.
    fn forget(&mut self, client: ClientNetwork) {
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
    /// Returns how many of the connections are taken.
    pub(super) fn pressure(&self) -> Pressure {
        self.connections.pressure()
    }

    /// Notes that the session moved a message forward.
    pub(super) fn touch(&self) {
        self.activity.active_at.store(self.connections.now(), Ordering::Relaxed);
    }

    /// Waits for the client: the output of `wait`, or `None` once the session has to give way to a newcomer.
    pub(super) async fn wait_for_client<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        struct Waiting<'a>(&'a AtomicBool);
        impl Drop for Waiting<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Relaxed);
            }
        }
        let waiting = Waiting(&self.activity.is_waiting);
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
            open.forget(self.activity.client);
        }
        self.connections.note_count(&open);
    }
}
