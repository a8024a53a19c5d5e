//! What the addresses of this service are called. Where mail leaves directly, many servers take none from an address whose
//! name does not lead back to it.

use std::net::IpAddr;

use inboxd_core::ports::Lookup;
use inboxd_core::rules::domains::name::is_local;
use inboxd_smtp::dns::DnsResolver;

use super::Finding;
use crate::config::{Config, Delivery};
use crate::services::resolver;

const CHECK: &str = "PTR";

/// Looks up what the addresses of the service's domain are called; nothing where mail does not leave directly. From which
/// address mail leaves cannot be told from here, and neither whether port 25 is open on the way out.
pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    if !matches!(config.delivery, Delivery::Direct { .. }) || is_local(&config.domain) {
        return Vec::new();
    }
    // Of a resolver that is not there, another check tells.
    let Ok(resolver) = resolver(config) else { return Vec::new() };
    let Lookup::Found(addresses) = resolver.addresses(&config.domain).await else { return Vec::new() };
    let mut findings = Vec::new();
    for address in addresses {
        findings.push(of_address(address, &config.domain, &resolver).await);
    }
    findings
}

async fn of_address(address: IpAddr, domain: &str, resolver: &DnsResolver) -> Finding {
    let mend = format!(
        "have whoever gave you {address} call it {domain}; if mail leaves from another address, look at that one"
    );
    let names = match resolver.host_names(address).await {
        Lookup::Found(names) => names,
        Lookup::Absent => {
            return Finding::warn(CHECK, format!("{address} has no name: many servers refuse its mail"), mend);
        }
        Lookup::Failed(why) => return Finding::warn(CHECK, format!("the name of {address}: {why}"), mend),
    };
    for name in &names {
        if matches!(resolver.addresses(name).await, Lookup::Found(found) if found.contains(&address)) {
            return Finding::ok(CHECK, format!("{address} is called {name}, which leads back to it"));
        }
    }
    let found = format!("{address} is called {}, which does not lead back to it", names.join(", "));
    Finding::warn(CHECK, found, mend)
}
