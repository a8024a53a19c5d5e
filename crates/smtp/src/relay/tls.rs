//! TLS configurations of the relay transport.

use std::sync::Arc;

use inboxd_core::model::SessionTls;
use rustls::{ClientConfig, Error};

use crate::client::tls::{any_certificate, public_roots};

/// TLS configurations by location of the relay.
#[derive(Debug, Clone)]
pub(super) struct RelayTls {
    remote: Arc<ClientConfig>,
    local: (Arc<ClientConfig>, SessionTls),
}

impl RelayTls {
    /// Returns public certificate authorities for remote relays, and any certificate for local ones.
    pub(super) fn with_public_roots() -> Result<Self, Error> {
        Ok(Self { remote: Arc::new(public_roots()?), local: (Arc::new(any_certificate()?), SessionTls::Encrypted) })
    }

    /// Returns the same configuration for all relays.
    pub(super) fn with_config(config: Arc<ClientConfig>) -> Self {
        Self { remote: Arc::clone(&config), local: (config, SessionTls::Verified) }
    }

    /// Returns the configuration for a local or a remote relay, with the TLS that it proves.
    pub(super) fn config(&self, is_local: bool) -> (Arc<ClientConfig>, SessionTls) {
        if is_local { self.local.clone() } else { (Arc::clone(&self.remote), SessionTls::Verified) }
    }
}
