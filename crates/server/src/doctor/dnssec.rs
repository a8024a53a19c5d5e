//! Check of DNSSEC for DANE.

use std::time::Duration;

use tokio::time::timeout;

use super::Finding;
use crate::config::{Config, Delivery};
use crate::transport::validating_resolver;

const CHECK: &str = "DANE";
/// Timeout of the queries.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// Checks that the resolver passes DNSSEC records; `None` without direct delivery or DANE.
pub(super) async fn examine(config: &Config) -> Option<Finding> {
    if !matches!(config.delivery, Delivery::Direct { .. }) {
        return None;
    }
    let resolver = match validating_resolver(config) {
        Ok(resolver) => resolver?,
        Err(error) => return Some(Finding::fail(CHECK, error.to_string(), "name a file of DNSKEY records")),
    };
    let result =
        timeout(PROBE_TIMEOUT, resolver.probe()).await.unwrap_or_else(|_| Err("no response in time".to_owned()));
    Some(match result {
        Ok(()) => Finding::ok(CHECK, "the resolver passes DNSSEC records, so TLSA records authenticate mail hosts"),
        Err(why) => Finding::warn(
            CHECK,
            format!("the resolver passes no valid DNSSEC records, so mail is sent without DANE: {why}"),
            "set INBOXD_DNS_ADDR to a resolver that passes them, such as unbound on this machine, or INBOXD_DANE=off",
        ),
    })
}
