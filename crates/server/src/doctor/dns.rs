//! Check of the DNS records of the service domains.
//!
//! The records route mail to this service, and other servers authenticate its mail by them.

use inboxd_core::model::DkimKey;
use inboxd_core::ports::Lookup;
use inboxd_core::rules::domains::name::is_local;
use inboxd_smtp::dns::DnsResolver;

use super::{Finding, Level, ports, wanted};
use crate::config::{Config, Role};
use crate::services::resolver;

/// Checks the records of the service domains.
pub(crate) async fn examine(config: &Config, keys: &[DkimKey]) -> Vec<Finding> {
    let resolver = match resolver(config) {
        Ok(resolver) => resolver,
        Err(error) => return vec![Finding::fail("resolver", error.to_string(), SET_RESOLVER)],
    };
    let answers = answers(config, &resolver).await;
    if is_local(&config.domain) {
        let found = format!("{} cannot receive mail from the internet", config.domain);
        let mend = "set INBOXD_DOMAIN to your own domain to exchange mail with the internet";
        return vec![answers, Finding::warn("domain", found, mend)];
    }
    if answers.level != Level::Ok {
        return vec![answers];
    }
    let mut findings = vec![answers, mail_host(config, &resolver).await];
    let checked = wanted::check(config, &resolver, wanted::doctor_records(config, keys)).await;
    findings.extend(checked.into_iter().map(|record| record.finding));
    findings
}

const SET_RESOLVER: &str = "start the resolver, let this machine reach it, or set INBOXD_DNS_ADDR to another one";

/// Checks that the resolver replies.
pub(crate) async fn answers(config: &Config, resolver: &DnsResolver) -> Finding {
    let whose = config.dns_addr.map_or_else(|| "the system resolver".to_owned(), |address| address.to_string());
    // The root zone exists for every resolver. Local names would prove nothing, because a resolver may define them
    // itself.
    let problem = match resolver.name_servers(".").await {
        Lookup::Found(_) => return Finding::ok("resolver", format!("{whose} answers")),
        Lookup::Failed(why) => format!("{whose}: {why}"),
        Lookup::Absent => format!("{whose} answers, but without name servers of the root zone"),
    };
    // With a local service domain, only lookups of foreign domains need the resolver.
    if is_local(&config.domain) {
        return Finding::warn("resolver", problem, SET_RESOLVER);
    }
    Finding::fail("resolver", problem, SET_RESOLVER)
}

/// Checks the service domain as a host: the MX records of custom domains point to it.
pub(crate) async fn mail_host(config: &Config, resolver: &DnsResolver) -> Finding {
    let host = &config.domain;
    let mend = format!("publish A or AAAA records of {host} with the addresses of this service");
    let addresses = match resolver.addresses(host).await {
        Lookup::Found(addresses) => addresses,
        Lookup::Absent => {
            return Finding::fail(
                "host",
                format!("{host} has no address, and the MX records of custom domains name it"),
                mend,
            );
        }
        Lookup::Failed(why) => return Finding::warn("host", format!("the addresses of {host}: {why}"), SET_RESOLVER),
    };
    let shown = addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if !config.roles.contains(&Role::Smtp) {
        return Finding::ok("host", format!("{host} has the address {shown}"));
    }
    // Other servers try the first address as well.
    let Some(first) = addresses.first() else { return Finding::fail("host", format!("{host} has no address"), mend) };
    match ports::smtp_greeting((*first, 25).into()).await {
        Some(greeting) if greeting.contains(&ports::greeting(host)) => {
            Finding::ok("host", format!("{host} has the address {shown}, and inboxd answers on port 25"))
        }
        Some(_) => Finding::warn("host", format!("another program answers on port 25 of {first}, {host}"), mend),
        None => Finding::warn(
            "host",
            format!("port 25 of {first}, {host}, does not answer this machine"),
            "forward port 25 to INBOXD_SMTP_ADDR; test it from another machine, because many networks block outgoing port 25",
        ),
    }
}
