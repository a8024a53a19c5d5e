//! What an operator can set.

use std::time::Duration;

use super::url::RelayUrl;
use crate::client::Timeouts;

/// How the relay is reached and used.
#[derive(Debug, Clone)]
pub struct RelayOptions {
    /// Where it is, and who we are to it.
    pub url: RelayUrl,
    /// What we call ourselves in EHLO.
    pub hostname: String,
    /// How many connections may wait for the next mail.
    pub max_idle: usize,
    /// How long each may wait.
    pub idle_for: Duration,
    /// How long anything may take.
    pub timeouts: Timeouts,
}

impl RelayOptions {
    /// The defaults for a relay.
    #[must_use]
    pub fn new(url: RelayUrl, hostname: impl Into<String>) -> Self {
        Self {
            url,
            hostname: hostname.into(),
            max_idle: 32,
            idle_for: Duration::from_secs(30),
            timeouts: Timeouts::default(),
        }
    }
}
