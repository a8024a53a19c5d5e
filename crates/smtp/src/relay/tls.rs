//! How certificates are checked, by where the relay is.

use std::sync::Arc;

use rustls::{ClientConfig, Error};

use crate::client::tls::{of_anyone, of_the_world};

/// How certificates are checked, by where the relay is.
#[derive(Debug, Clone)]
pub(super) struct Tls {
    elsewhere: Arc<ClientConfig>,
    this_machine: Arc<ClientConfig>,
}

impl Tls {
    /// Public roots for the world, any certificate on this machine.
    pub(super) fn public() -> Result<Self, Error> {
        Ok(Self { elsewhere: Arc::new(of_the_world()?), this_machine: Arc::new(of_anyone()?) })
    }

    /// One way for every relay.
    pub(super) fn given(config: Arc<ClientConfig>) -> Self {
        Self { elsewhere: Arc::clone(&config), this_machine: config }
    }

    /// The way for a relay on this machine, or on another.
    pub(super) fn config(&self, on_this_machine: bool) -> Arc<ClientConfig> {
        Arc::clone(if on_this_machine { &self.this_machine } else { &self.elsewhere })
    }
}
