//! Check of the DNS records of the service domains.
//!
//! The records route mail to this service, and other servers authenticate its mail by them.

use futures_util::future::join_all;
use inboxd_core::model::{DkimKey, KeyState};
use inboxd_core::ports::{Dns as _, Lookup};
use inboxd_core::rules::domains::name::is_local;
use inboxd_core::rules::domains::records::key_record;
use inboxd_core::rules::domains::signing_domain::signing_domains;
use inboxd_smtp::dns::DnsResolver;

use super::records::{self, Severity};
use super::{Finding, ports};
use crate::config::{Config, Delivery, Role};

/// Checks the records of the service domains.
pub(super) async fn examine(config: &Config, keys: &[DkimKey]) -> Vec<Finding> {
    let resolver = match config.dns_addr {
        Some(address) => DnsResolver::at(address),
        None => DnsResolver::system(),
    };
    let resolver = match resolver {
        Ok(resolver) => resolver,
        Err(error) => return vec![Finding::fail("resolver", error.to_string(), SET_RESOLVER)],
    };
    let answers = answers(config, &resolver).await;
    if is_local(&config.domain) {
        let found = format!("{} cannot receive mail from the internet", config.domain);
        let mend = "set INBOXD_DOMAIN to your own domain to exchange mail with the internet";
        return vec![answers, Finding::warn("domain", found, mend)];
    }
    if answers.level != super::Level::Ok {
        return vec![answers];
    }
    let mut findings = vec![answers];
    let mut domains = vec![&config.domain];
    if config.signup_domain != config.domain {
        domains.push(&config.signup_domain);
    }
    findings.push(mail_host(config, &resolver).await);
    for of_domain in join_all(domains.into_iter().map(|domain| of_domain(config, &resolver, domain))).await {
        findings.extend(of_domain);
    }
    for name in signing_domains(&config.domain, &config.signup_domain) {
        let in_state = |state| keys.iter().find(|key| key.name == name && key.state == state);
        // Before the first rotation the next key waits for its record.
        let key = in_state(KeyState::Active).or_else(|| in_state(KeyState::Next));
        let record = key.map(|key| key_record(name, &key.selector, &key.public_key));
        let answer = match &record {
            Some(record) => resolver.txt(&record.name).await,
            None => Lookup::Absent,
        };
        let signs = key.is_some_and(|key| key.state == KeyState::Active);
        findings.push(records::dkim(name, record, signs, answer));
    }
    findings
}

const SET_RESOLVER: &str = "start the resolver, let this machine reach it, or set INBOXD_DNS_ADDR to another one";

/// Checks that the resolver replies.
async fn answers(config: &Config, resolver: &DnsResolver) -> Finding {
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
async fn mail_host(config: &Config, resolver: &DnsResolver) -> Finding {
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
    match ports::said((*first, 25).into(), "QUIT\r\n").await {
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

/// Checks the records of one service domain.
async fn of_domain(config: &Config, resolver: &DnsResolver, domain: &str) -> Vec<Finding> {
    let (mx, txt) = tokio::join!(resolver.mx(domain), resolver.txt(domain));
    // SPF is irrelevant while no mail leaves.
    let sending = if config.delivery == Delivery::Capture { Severity::Minor } else { Severity::Grave };
    let mut findings =
        vec![records::mx(domain, &config.domain, mx, resolver).await, records::spf(domain, txt, sending)];
    // A policy also covers subdomains (RFC 7489, section 6.6.3).
    if !domain.ends_with(&format!(".{}", config.domain)) {
        findings.push(records::dmarc(domain, resolver.txt(&format!("_dmarc.{domain}")).await));
    }
    findings
}
