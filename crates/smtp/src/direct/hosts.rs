//! MX hosts of a destination.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use inboxd_core::model::DeliveryOutcome;
use inboxd_core::ports::{Dns as _, Lookup, MxHost};
use inboxd_core::rules::destinations::MailDestination;

use super::dane::Dane;
use super::options::DirectOptions;
use crate::client::recipient_outcomes::refused_locally;
use crate::dns::DnsResolver;

/// Number of hosts of a domain that are tried.
const MAX_HOSTS: usize = 5;

/// Mail host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MailHost {
    /// Host name, resolved later.
    Named(String),
    /// IP address from an address literal.
    At(IpAddr),
}

impl MailHost {
    /// Returns the name for logs and reasons.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::At(address) => format!("[{address}]"),
        }
    }
}

/// Hosts of a destination in the order of attempts.
#[derive(Debug)]
pub(super) struct FoundHosts {
    pub(super) hosts: Vec<MailHost>,
    /// Whether DNSSEC proves the names, so that TLSA records count.
    pub(super) is_secure: bool,
}

/// Returns the hosts of a destination, or the outcome of a message without any. MX records are validated with `dane`.
pub(super) async fn find_hosts(
    destination: &MailDestination,
    resolver: &DnsResolver,
    dane: Option<&Dane>,
    options: &DirectOptions,
) -> Result<FoundHosts, DeliveryOutcome> {
    let domain = match destination {
        MailDestination::Host(address) => {
            return Ok(FoundHosts { hosts: vec![MailHost::At(*address)], is_secure: false });
        }
        MailDestination::Domain(domain) => domain,
    };
    let (records, is_secure) = match dane {
        Some(dane) => dane.mx(domain, resolver).await,
        None => (resolver.mx(domain).await, false),
    };
    let hosts = match records {
        Lookup::Found(records) => hosts_from_records(domain, records, options),
        Lookup::Failed(why) => Err(DeliveryOutcome::Deferred { reason: format!("the MX records of {domain}: {why}") }),
        // Without MX records, the domain is its own host (RFC 5321, section 5.1).
        Lookup::Absent => match own_addresses(domain, resolver, dane.filter(|_| is_secure)).await {
            Lookup::Found(_) if options.is_own_name(domain) => Err(loop_refusal(domain)),
            Lookup::Found(_) => Ok(vec![MailHost::Named(domain.clone())]),
            Lookup::Failed(why) => {
                Err(DeliveryOutcome::Deferred { reason: format!("the addresses of {domain}: {why}") })
            }
            Lookup::Absent => {
                let why = format!("{domain} has neither MX records nor an address");
                Err(refused_locally("5.1.2", &why))
            }
        },
    };
    hosts.map(|hosts| FoundHosts { hosts, is_secure })
}

/// Returns the addresses of a domain without MX records. Of a signed zone they are validated: a forged absence would make
/// mail bounce.
async fn own_addresses(domain: &str, resolver: &DnsResolver, dane: Option<&Dane>) -> Lookup<IpAddr> {
    match dane {
        Some(dane) => dane.addresses(domain, resolver).await,
        None => resolver.addresses(domain).await,
    }
}

/// Returns the refusal of a message that would return to this service, which does not serve the domain (RFC 5321,
/// section 5.1).
pub(super) fn loop_refusal(domain: &str) -> DeliveryOutcome {
    refused_locally("5.4.6", &format!("mail for {domain} returns to this service, which does not serve that domain"))
}

fn hosts_from_records(
    domain: &str,
    mut records: Vec<MxHost>,
    options: &DirectOptions,
) -> Result<Vec<MailHost>, DeliveryOutcome> {
    if records.iter().all(|mx| mx.host.is_empty()) {
        return Err(refused_locally(
            "5.1.10",
            &format!("{domain} accepts no mail: it has a null MX record (RFC 7505)"),
        ));
    }
    // Hosts of equal preference share the load (RFC 5321, section 5.1), so their order is random.
    let draw = RandomState::new();
    records.sort_by_key(|mx| (mx.preference, draw.hash_one(&mx.host)));
    // Hosts after our own would return the message to us. Hosts before it may be other routes to the same server.
    let ours = records.iter().filter(|mx| options.is_own_name(&mx.host)).map(|mx| mx.preference).min();
    let mut hosts: Vec<MailHost> = Vec::new();
    for mx in records {
        let is_before = ours.is_none_or(|ours| mx.preference < ours);
        let host = MailHost::Named(mx.host.to_ascii_lowercase());
        if is_before && host != MailHost::Named(String::new()) && !hosts.contains(&host) && hosts.len() < MAX_HOSTS {
            hosts.push(host);
        }
    }
    if hosts.is_empty() { Err(loop_refusal(domain)) } else { Ok(hosts) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// Returns the host names, or the status of the refusal.
    fn hosts(records: &[(u16, &str)]) -> String {
        let records =
            records.iter().map(|(preference, host)| MxHost { preference: *preference, host: (*host).to_owned() });
        let options = DirectOptions::new("mail.here.example", Arc::new(|_| true));
        match hosts_from_records("out.example", records.collect(), &options) {
            Ok(hosts) => hosts.iter().map(MailHost::name).collect::<Vec<_>>().join(" "),
            Err(DeliveryOutcome::Refused { status, .. }) => status,
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn hosts_are_ordered_by_preference_without_duplicates() {
        assert_eq!(hosts(&[(20, "B.example"), (10, "a.example"), (30, "b.EXAMPLE")]), "a.example b.example");
        let six: Vec<(u16, &str)> = (1..=6).zip(["a", "b", "c", "d", "e", "f"]).collect();
        assert_eq!(hosts(&six), "a b c d e");
    }

    #[test]
    fn hosts_of_equal_preference_are_shuffled() {
        let records = [(10, "a"), (10, "b"), (5, "c"), (20, "d")];
        let mut seen = std::collections::BTreeSet::new();
        // The probability that one order never occurs is 2^-199.
        for _ in 0..200 {
            seen.insert(hosts(&records));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["c a b d", "c b a d"]);
    }

    #[test]
    fn null_mx_refuses_unless_other_records_exist() {
        assert_eq!(hosts(&[(0, "")]), "5.1.10");
        assert_eq!(hosts(&[(0, ""), (10, "a.example")]), "a.example");
    }

    #[test]
    fn hosts_after_own_host_are_skipped() {
        assert_eq!(hosts(&[(10, "Mail.Here.example")]), "5.4.6");
        assert_eq!(hosts(&[(10, "mail.here.example"), (10, "a"), (20, "b")]), "5.4.6");
        assert_eq!(hosts(&[(5, "a"), (10, "mail.here.example"), (20, "b")]), "a");
    }
}
