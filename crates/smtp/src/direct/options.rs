//! Options of direct delivery.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::rules::outgoing_tls::OutgoingTlsPolicy;

use crate::client::ClientTimeouts;

/// Filter of permitted addresses. Anyone can publish an MX record that points into our network.
pub type AddressFilter = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// Options for connections to mail hosts.
#[derive(Clone)]
pub struct DirectOptions {
    /// Name in EHLO. A host of this name is this service.
    pub hostname: String,
    /// TCP port of all servers, usually 25.
    pub port: u16,
    /// Filter of permitted addresses.
    pub may_connect: AddressFilter,
    /// Addresses at which this service receives mail, as far as known.
    pub own_addresses: Vec<SocketAddr>,
    /// Number of connections to one address at a time, including idle ones.
    pub max_connections: usize,
    /// Time that a message waits for a connection permit. Earlier messages may wait for a silent host.
    pub acquire_timeout: Duration,
    /// Time after which an idle connection is closed.
    pub idle_timeout: Duration,
    /// TLS that the operator demands.
    pub tls_policy: OutgoingTlsPolicy,
    /// Time limits of a delivery.
    pub timeouts: ClientTimeouts,
}

impl DirectOptions {
    /// Returns the defaults for this host name.
    #[must_use]
    pub fn new(hostname: impl Into<String>, may_connect: AddressFilter) -> Self {
        Self {
            hostname: hostname.into(),
            port: 25,
            may_connect,
            own_addresses: Vec::new(),
            max_connections: 4,
            acquire_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            tls_policy: OutgoingTlsPolicy::default(),
            timeouts: ClientTimeouts::default(),
        }
    }

    /// Returns whether this service receives mail at this address.
    pub(super) fn is_own_address(&self, address: SocketAddr) -> bool {
        self.own_addresses.iter().any(|own| {
            let is_any = own.ip().is_unspecified() && address.ip().to_canonical().is_loopback();
            own.port() == address.port() && (own.ip().to_canonical() == address.ip().to_canonical() || is_any)
        })
    }

    /// Returns whether this is the name of this service.
    pub(super) fn is_own_name(&self, host: &str) -> bool {
        host.trim_end_matches('.').eq_ignore_ascii_case(&self.hostname)
    }
}

impl fmt::Debug for DirectOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DirectOptions")
            .field("hostname", &self.hostname)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}
