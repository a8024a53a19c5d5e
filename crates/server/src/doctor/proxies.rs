//! Check of the proxies in front of the API.

use super::Finding;
use crate::config::{Config, Role};

const CHECK: &str = "proxies";

/// Returns the trusted proxies, or warns if a proxy hides its clients; `None` without a proxy.
pub(super) fn examine(config: &Config) -> Option<Finding> {
    if !config.trusted_proxies.is_empty() {
        return Some(Finding::ok(CHECK, format!("clients are known by the headers of {}", config.trusted_proxies)));
    }
    // Without a TLS listener, a proxy provides the TLS of the base URL.
    let is_proxied =
        config.roles.contains(&Role::Http) && !config.has_tls_listener() && config.base_url().starts_with("https://");
    is_proxied.then(|| {
        Finding::warn(
            CHECK,
            "the API is behind a proxy for TLS, and all of its clients share the limits of one address",
            "set INBOXD_TRUSTED_PROXIES to the addresses from which the proxy connects",
        )
    })
}
