//! What an operator, and the process around, decide about direct delivery.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::client::Timeouts;

/// Which addresses may be connected to. Anybody can publish an MX record that leads into the network we stand in.
pub type Reach = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// How servers are reached and used.
#[derive(Clone)]
pub struct DirectOptions {
    /// What we call ourselves in EHLO; a host of that name is ourselves.
    pub hostname: String,
    /// The TCP port of all servers: 25.
    pub port: u16,
    /// Which addresses may be connected to.
    pub reach: Reach,
    /// Where this service itself receives mail, as far as it knows.
    pub own: Vec<SocketAddr>,
    /// How many connections to one address there may be at a time, those that wait for the next mail included.
    pub connections: usize,
    /// How long a mail waits for its turn with an address: those in front may be with a host that does not answer.
    pub turn: Duration,
    /// How long a connection may wait for the next mail.
    pub idle_for: Duration,
    /// How long anything may take.
    pub timeouts: Timeouts,
}

impl DirectOptions {
    /// The defaults for a service of this name.
    #[must_use]
    pub fn new(hostname: impl Into<String>, reach: Reach) -> Self {
        Self {
            hostname: hostname.into(),
            port: 25,
            reach,
            own: Vec::new(),
            connections: 4,
            turn: Duration::from_secs(30),
            idle_for: Duration::from_secs(30),
            timeouts: Timeouts::default(),
        }
    }

    /// Whether this is where we receive mail ourselves.
    pub(super) fn is_own_address(&self, address: SocketAddr) -> bool {
        self.own.iter().any(|own| {
            let is_any = own.ip().is_unspecified() && address.ip().to_canonical().is_loopback();
            own.port() == address.port() && (own.ip().to_canonical() == address.ip().to_canonical() || is_any)
        })
    }

    /// Whether this is the name of ourselves.
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
