//! How many connections one client address may have open, so that one client cannot take them all.

use std::collections::HashMap;
use std::net::{IpAddr, Shutdown};
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use socket2::SockRef;

use crate::limiter::network;

/// The open connections, by client address.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// One open connection; counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Visit {
    connections: Arc<Connections>,
    client: IpAddr,
}

impl Connections {
    /// At most so many an address; 0 turns the limit off.
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Counts a connection, unless its address has too many already.
    fn enter(self: &Arc<Self>, client: IpAddr) -> Option<Visit> {
        let client = network(client);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(&client).copied().unwrap_or(0);
        if self.most != 0 && count >= self.most {
            return None;
        }
        open.insert(client, count + 1);
        Some(Visit { connections: Arc::clone(self), client })
    }

    /// Counts a fresh connection for as long as it lives, or closes it.
    pub(crate) fn admit(self: &Arc<Self>, stream: &TcpStream, lives_as_long: &mut Extensions) {
        // Whoever is gone already needs no count.
        let Ok(address) = stream.peer_addr() else { return };
        if let Some(visit) = self.enter(address.ip()) {
            lives_as_long.insert(visit);
            return;
        }
        tracing::debug!(client = %address.ip(), "refused: too many connections");
        // The server finds it at its end and lets it go; where that fails it was at its end before.
        let _ = SockRef::from(stream).shutdown(Shutdown::Both);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock().unwrap_or_else(PoisonError::into_inner);
        let left = open.get(&self.client).copied().unwrap_or(0).saturating_sub(1);
        if left == 0 {
            open.remove(&self.client);
        } else {
            open.insert(self.client, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_count() {
        let connections = Connections::new(2);
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let first = connections.enter(one);
        let second = connections.enter(one);
        assert!(first.is_some() && second.is_some() && connections.enter(one).is_none());
        assert!(connections.enter(other).is_some());
        drop(first);
        let third = connections.enter(one);
        assert!(third.is_some() && connections.enter(one).is_none());
        drop((second, third));
        assert!(connections.open.lock().is_ok_and(|open| open.is_empty()), "nobody is remembered who is gone");
    }

    #[test]
    fn zero_turns_it_off() {
        let connections = Connections::new(0);
        let visits: Vec<_> = (0..1000).map(|_| connections.enter(IpAddr::from([192, 0, 2, 1]))).collect();
        assert!(visits.iter().all(Option::is_some));
    }
}
