//! Options of the relay transport.

use std::time::Duration;

use super::url::RelayUrl;
use crate::client::ClientTimeouts;

/// Options for connections to a relay.
#[derive(Debug, Clone)]
pub struct RelayOptions {
    /// Address and credentials of the relay.
    pub url: RelayUrl,
    /// Name in EHLO.
    pub hostname: String,
    /// Number of idle connections.
    pub max_idle: usize,
    /// Time after which an idle connection is closed.
    pub idle_timeout: Duration,
    /// Time limits of a delivery.
    pub timeouts: ClientTimeouts,
}

impl RelayOptions {
    /// Returns the defaults for a relay.
    #[must_use]
    pub fn new(url: RelayUrl, hostname: impl Into<String>) -> Self {
        Self {
            url,
            hostname: hostname.into(),
            max_idle: 32,
            idle_timeout: Duration::from_secs(30),
            timeouts: ClientTimeouts::default(),
        }
    }
}
