//! Which hosts take the mail for a destination.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use inboxd_core::model::Outcome;
use inboxd_core::ports::{Dns as _, Lookup, MxHost};
use inboxd_core::rules::destinations::Destination;

use super::options::DirectOptions;
use crate::client::ledger::impossible;
use crate::dns::Resolver;

/// How many hosts of a domain are tried.
const MOST_HOSTS: usize = 5;

/// A host that takes mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    /// By its name; its addresses are yet to be asked for.
    Named(String),
    /// By its address, as the recipient's address has it.
    At(IpAddr),
}

impl Host {
    /// What it is called in the log and in reasons.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Named(name) => name.clone(),
            Self::At(address) => format!("[{address}]"),
        }
    }
}

/// The hosts of a destination, in the order in which they are tried; or what becomes of the mail without any.
pub(super) async fn of(
    destination: &Destination,
    resolver: &Resolver,
    options: &DirectOptions,
) -> Result<Vec<Host>, Outcome> {
    let domain = match destination {
        Destination::Host(address) => return Ok(vec![Host::At(*address)]),
        Destination::Domain(domain) => domain,
    };
    match resolver.mx(domain).await {
        Lookup::Found(records) => of_records(domain, records, options),
        Lookup::Failed(why) => Err(Outcome::Deferred { reason: format!("the MX records of {domain}: {why}") }),
        // Without MX records the domain is its own host (RFC 5321, section 5.1).
        Lookup::Absent => match resolver.addresses(domain).await {
            Lookup::Found(_) if options.is_own_name(domain) => Err(ourselves(domain)),
            Lookup::Found(_) => Ok(vec![Host::Named(domain.clone())]),
            Lookup::Failed(why) => Err(Outcome::Deferred { reason: format!("the addresses of {domain}: {why}") }),
            Lookup::Absent => {
                let why = format!("{domain} has neither MX records nor an address: there is no such domain for mail");
                Err(impossible("5.1.2", &why))
            }
        },
    }
}

/// The refusal of a mail that would come back to us, although the domain is not served here (RFC 5321, section 5.1).
pub(super) fn ourselves(domain: &str) -> Outcome {
    impossible("5.4.6", &format!("the mail for {domain} leads back to this service, which does not serve that domain"))
}

fn of_records(domain: &str, mut records: Vec<MxHost>, options: &DirectOptions) -> Result<Vec<Host>, Outcome> {
    if records.iter().all(|mx| mx.host.is_empty()) {
        return Err(impossible("5.1.10", &format!("{domain} takes no mail: its MX record says so (RFC 7505)")));
    }
    // Hosts of the same preference share the load (RFC 5321, section 5.1): their order is drawn each time.
    let draw = RandomState::new();
    records.sort_by_key(|mx| (mx.preference, draw.hash_one(&mx.host)));
    // What comes after ourselves would hand the mail back to us. Those before us may be other ways to the same place.
    let ours = records.iter().filter(|mx| options.is_own_name(&mx.host)).map(|mx| mx.preference).min();
    let mut hosts: Vec<Host> = Vec::new();
    for mx in records {
        let is_before = ours.is_none_or(|ours| mx.preference < ours);
        let host = Host::Named(mx.host.to_ascii_lowercase());
        if is_before && host != Host::Named(String::new()) && !hosts.contains(&host) && hosts.len() < MOST_HOSTS {
            hosts.push(host);
        }
    }
    if hosts.is_empty() { Err(ourselves(domain)) } else { Ok(hosts) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The names of the hosts, or the status of the refusal.
    fn hosts(records: &[(u16, &str)]) -> String {
        let records =
            records.iter().map(|(preference, host)| MxHost { preference: *preference, host: (*host).to_owned() });
        let options = DirectOptions::new("mail.here.example", Arc::new(|_| true));
        match of_records("out.example", records.collect(), &options) {
            Ok(hosts) => hosts.iter().map(Host::name).collect::<Vec<_>>().join(" "),
            Err(Outcome::Refused { status, .. }) => status,
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn the_lowest_preference_goes_first_and_a_host_counts_once() {
        assert_eq!(hosts(&[(20, "B.example"), (10, "a.example"), (30, "b.EXAMPLE")]), "a.example b.example");
        let six: Vec<(u16, &str)> = (1..=6).zip(["a", "b", "c", "d", "e", "f"]).collect();
        assert_eq!(hosts(&six), "a b c d e");
    }

    #[test]
    fn equals_take_turns() {
        let records = [(10, "a"), (10, "b"), (5, "c"), (20, "d")];
        let mut seen = std::collections::BTreeSet::new();
        // By chance alone one order never shows once in 2^199.
        for _ in 0..200 {
            seen.insert(hosts(&records));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["c a b d", "c b a d"]);
    }

    #[test]
    fn a_null_mx_refuses_and_beside_others_it_says_nothing() {
        assert_eq!(hosts(&[(0, "")]), "5.1.10");
        assert_eq!(hosts(&[(0, ""), (10, "a.example")]), "a.example");
    }

    #[test]
    fn only_hosts_before_ourselves_are_tried() {
        assert_eq!(hosts(&[(10, "Mail.Here.example")]), "5.4.6");
        assert_eq!(hosts(&[(10, "mail.here.example"), (10, "a"), (20, "b")]), "5.4.6");
        assert_eq!(hosts(&[(5, "a"), (10, "mail.here.example"), (20, "b")]), "a");
    }
}
