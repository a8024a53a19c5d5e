//! Connection limits per client address and network; behind a trusted proxy they count requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use inboxd_core::rules::networks::ClientNetwork;

/// Maximum numbers of connections of one client; 0 disables a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionCaps {
    /// Connections of an IPv4 address or an IPv6 /64. Local addresses have only the network limit, because they may
    /// belong to a proxy that is not configured.
    pub(crate) address: usize,
    /// Connections of an IPv4 /24 or an IPv6 /48.
    pub(crate) network: usize,
}

/// Counts of the open connections.
#[derive(Debug)]
pub(crate) struct ConnectionLimits {
    caps: ConnectionCaps,
    open: Mutex<ConnectionCounts>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct ConnectionCounts {
    by_address: HashMap<IpAddr, usize>,
    by_network: HashMap<IpAddr, usize>,
}

/// Permit of one open connection; dropping it decrements the counts.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    connections: Arc<ConnectionLimits>,
    client: ClientNetwork,
}

impl ConnectionLimits {
    /// Returns limits without open connections.
    pub(crate) fn new(caps: ConnectionCaps) -> Arc<Self> {
        Arc::new(Self { caps, open: Mutex::default() })
    }

    /// Counts a connection; returns `None` when its address or network is at the limit.
    pub(crate) fn enter(self: &Arc<Self>, client: IpAddr) -> Option<ConnectionPermit> {
        let client = ClientNetwork::of(client);
        let mut open = self.lock();
        let of_address = open.by_address.get(&client.address).copied().unwrap_or(0);
        let of_network = open.by_network.get(&client.network).copied().unwrap_or(0);
        let is_full = |count: usize, cap: usize| cap != 0 && count >= cap;
        if is_full(of_network, self.caps.network) || (!client.is_local() && is_full(of_address, self.caps.address)) {
            return None;
        }
        open.by_address.insert(client.address, of_address + 1);
        open.by_network.insert(client.network, of_network + 1);
        Some(ConnectionPermit { connections: Arc::clone(self), client })
    }

    /// Locks the counts. A poisoned lock is safe, because no panic can leave the counts inconsistent.
    fn lock(&self) -> MutexGuard<'_, ConnectionCounts> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let ConnectionCounts { by_address, by_network } = &mut *self.connections.lock();
        for (counts, key) in [(by_address, self.client.address), (by_network, self.client.network)] {
            let left = counts.get(&key).copied().unwrap_or(0).saturating_sub(1);
            if left == 0 {
                counts.remove(&key);
            } else {
                counts.insert(key, left);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap_or(IpAddr::from([0, 0, 0, 0]))
    }

    #[test]
    fn address_and_network_beyond_their_caps_are_refused() {
        let connections = ConnectionLimits::new(ConnectionCaps { address: 2, network: 3 });
        let first = connections.enter(ip("192.0.2.1"));
        let second = connections.enter(ip("::ffff:192.0.2.1"));
        assert!(first.is_some() && second.is_some() && connections.enter(ip("192.0.2.1")).is_none());
        let neighbor = connections.enter(ip("192.0.2.2"));
        assert!(neighbor.is_some() && connections.enter(ip("192.0.2.3")).is_none(), "the /24 is full");
        assert!(connections.enter(ip("192.0.3.1")).is_some());
        drop(first);
        let third = connections.enter(ip("192.0.2.1"));
        assert!(third.is_some() && connections.enter(ip("192.0.2.3")).is_none());
        drop((second, third, neighbor));
        assert_eq!(*connections.lock(), ConnectionCounts::default(), "no closed connection is remembered");
    }

    #[test]
    fn ipv6_clients_are_counted_by_64_and_48_bits() {
        let connections = ConnectionLimits::new(ConnectionCaps { address: 2, network: 3 });
        let open: Vec<_> =
            (1..=20).filter_map(|host| connections.enter(ip(&format!("2001:db8:1:1::{host:x}")))).collect();
        assert_eq!(open.len(), 2);
        let open: Vec<_> =
            (2..=20).filter_map(|site| connections.enter(ip(&format!("2001:db8:1:{site:x}::1")))).collect();
        assert_eq!(open.len(), 1);
        assert!(connections.enter(ip("2001:db8:2::1")).is_some());
    }

    #[test]
    fn proxy_on_a_local_address_has_the_share_of_a_network() {
        let connections = ConnectionLimits::new(ConnectionCaps { address: 1, network: 3 });
        for proxy in ["127.0.0.1", "10.0.0.7", "::1"] {
            let open: Vec<_> = (0..5).filter_map(|_| connections.enter(ip(proxy))).collect();
            assert_eq!(open.len(), 3, "{proxy}");
        }
    }

    #[test]
    fn zero_turns_caps_off() {
        let connections = ConnectionLimits::new(ConnectionCaps { address: 0, network: 0 });
        let visits: Vec<_> = (0..1000).map(|_| connections.enter(ip("192.0.2.1"))).collect();
        assert!(visits.iter().all(Option::is_some));
    }
}
