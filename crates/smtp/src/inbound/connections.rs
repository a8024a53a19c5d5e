//! How many connections there are, in all and of each client.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::options::ServerOptions;
use super::reply::Reply;

/// The connections that are open.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// A place among the connections. Dropped, it is free again.
#[derive(Debug)]
pub(super) struct Place {
    connections: Arc<Connections>,
    client: IpAddr,
}

impl Connections {
    /// Takes a place, or says why there is none.
    pub(super) fn admit(self: &Arc<Self>, ip: IpAddr, options: &ServerOptions) -> Result<Place, Reply> {
        let client = one_client(ip);
        let mut open = self.lock();
        if open.values().sum::<usize>() >= options.max_connections {
            return Err(Reply::ServerFull);
        }
        let count = open.entry(client).or_default();
        if *count >= options.max_connections_per_ip {
            return Err(Reply::ClientFull);
        }
        *count += 1;
        Ok(Place { connections: Arc::clone(self), client })
    }

    /// The count stays right even when a holder of the lock has panicked: nothing is done under it that could.
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        if let Some(count) = open.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.client);
            }
        }
    }
}

/// One client of IPv6 has a whole network of 64 bits to call from.
fn one_client(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
    }
}
