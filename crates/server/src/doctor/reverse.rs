//! Check of the reverse DNS of the service addresses.
//!
//! Many servers refuse direct mail from an address whose name does not resolve back to it.

use std::net::IpAddr;

use inboxd_core::ports::Lookup;
use inboxd_core::rules::domains::name::is_local;
use inboxd_smtp::dns::DnsResolver;

use super::Finding;
use crate::config::{Config, Delivery};
use crate::services::resolver;

const CHECK: &str = "PTR";

/// Checks the names of the addresses of the service domain; skipped unless mail leaves directly. Neither the source
/// address of outgoing mail nor a blocked port 25 can be detected here.
pub(crate) async fn examine(config: &Config) -> Vec<Finding> {
    // Another check reports a missing resolver.
    let Ok(resolver) = resolver(config) else { return Vec::new() };
    let Lookup::Found(addresses) = resolver.addresses(&config.domain).await else { return Vec::new() };
    of_addresses(config, &resolver, &addresses).await
}

/// Checks the names of addresses; skipped unless mail leaves directly.
pub(crate) async fn of_addresses(config: &Config, resolver: &DnsResolver, addresses: &[IpAddr]) -> Vec<Finding> {
    if !matches!(config.delivery, Delivery::Direct { .. }) || is_local(&config.domain) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for address in addresses {
        findings.push(of_address(*address, &config.domain, resolver).await);
    }
    findings
}

async fn of_address(address: IpAddr, domain: &str, resolver: &DnsResolver) -> Finding {
    let mend = format!(
        "ask the provider of {address} to set its reverse name to {domain}; if mail leaves from another address, check that one"
    );
    let names = match resolver.host_names(address).await {
        Lookup::Found(names) => names,
        Lookup::Absent => {
            return Finding::warn(CHECK, format!("{address} has no reverse name: many servers refuse its mail"), mend);
        }
        Lookup::Failed(why) => return Finding::warn(CHECK, format!("the reverse name of {address}: {why}"), mend),
    };
    for name in &names {
        if matches!(resolver.addresses(name).await, Lookup::Found(found) if found.contains(&address)) {
            return Finding::ok(CHECK, format!("{address} has the reverse name {name}, which resolves to it"));
        }
    }
    let found = format!("{address} has the reverse name {}, which does not resolve to it", names.join(", "));
    Finding::warn(CHECK, found, mend)
}
