//! DANE: TLSA records of mail hosts (RFC 7672).
//!
//! The MX records, the addresses and the TLSA records must all be signed. Then the TLSA records authenticate the host.
//! A host whose records cannot be validated gets no mail.

mod verifier;

use std::net::IpAddr;

use inboxd_core::ports::{Dns as _, Lookup, MxHost};
use inboxd_core::rules::dane::{self, DaneStatus};

use crate::dns::{DnsResolver, DnssecAvailability, Validated, ValidatingResolver};

pub(super) use self::verifier::dane_config;

/// Validating resolver with its availability.
pub(super) struct Dane {
    resolver: ValidatingResolver,
    availability: DnssecAvailability,
    /// Port of the hosts, part of the names of TLSA records.
    port: u16,
}

impl Dane {
    pub(super) fn new(resolver: ValidatingResolver, port: u16) -> Self {
        Self { resolver, availability: DnssecAvailability::default(), port }
    }

    /// Returns whether responses can be validated now.
    pub(super) async fn is_available(&self) -> bool {
        self.availability.check(&self.resolver).await
    }

    /// Returns the MX records of a domain, and whether a host may be authenticated by DANE.
    pub(super) async fn mx(&self, domain: &str, plain: &DnsResolver) -> (Lookup<MxHost>, bool) {
        match self.resolver.mx(domain).await {
            Validated::Found { records, is_secure, .. } => (Lookup::Found(records), is_secure),
            // The addresses of the domain then decide (RFC 7672, section 2.2.2).
            Validated::Absent => (Lookup::Absent, true),
            // An unsigned response without records needs the interpretation of the plain resolver.
            Validated::Unsigned => (plain.mx(domain).await, false),
            Validated::Failed(why) => (Lookup::Failed(log_failure(why, domain)), false),
        }
    }

    /// Returns the addresses of a domain in a signed zone.
    pub(super) async fn addresses(&self, domain: &str, plain: &DnsResolver) -> Lookup<IpAddr> {
        match self.resolver.addresses(domain).await {
            Validated::Found { records, .. } => Lookup::Found(records),
            Validated::Absent => Lookup::Absent,
            Validated::Unsigned => plain.addresses(domain).await,
            Validated::Failed(why) => Lookup::Failed(log_failure(why, domain)),
        }
    }

    /// Returns the addresses of a host with signed MX records, and its status.
    ///
    /// # Errors
    /// The reason for which the host cannot be used.
    pub(super) async fn host(
        &self,
        host: &str,
        domain: &str,
        plain: &DnsResolver,
    ) -> Result<(Lookup<IpAddr>, DaneStatus), String> {
        let (addresses, base_domains) = match self.resolver.addresses(host).await {
            // The end of a signed alias chain precedes the name in the MX record (RFC 7672, section 2.2.3).
            Validated::Found { records, is_secure: true, owner, .. } => {
                let base_domains = if owner == host { vec![owner] } else { vec![owner, host.to_owned()] };
                (records, base_domains)
            }
            // A signed alias can have TLSA records at its own name, also if its target is not signed.
            Validated::Found { records, is_alias_secure: true, .. } => (records, vec![host.to_owned()]),
            Validated::Found { records, .. } => return Ok((Lookup::Found(records), DaneStatus::NotPublished)),
            Validated::Absent => return Ok((Lookup::Absent, DaneStatus::NotPublished)),
            Validated::Unsigned => return Ok((plain.addresses(host).await, DaneStatus::NotPublished)),
            Validated::Failed(why) => {
                return Ok((Lookup::Failed(log_failure(why, domain)), DaneStatus::NotPublished));
            }
        };
        for base_domain in base_domains {
            match self.resolver.tlsa(self.port, &base_domain).await {
                Validated::Found { records, is_secure: true, .. } => {
                    let status = dane::evaluate(&base_domain, &[host, domain], records);
                    return Ok((Lookup::Found(addresses), status));
                }
                Validated::Found { is_secure: false, .. } | Validated::Absent | Validated::Unsigned => {}
                Validated::Failed(why) => {
                    let why = log_failure(why, domain);
                    return Err(format!("the TLSA records of {base_domain} (DANE): {why}"));
                }
            }
        }
        Ok((Lookup::Found(addresses), DaneStatus::NotPublished))
    }
}

/// Logs the reason of a failed lookup with the next step of the operator, and returns the reason: its cause may be the
/// resolver, which can answer without DNSSEC, and a failure of one domain ends no validation. Senders see the reason alone.
fn log_failure(why: String, domain: &str) -> String {
    let fix = format!("INBOXD_DIRECT_TLS={domain}=may exempts it from DANE");
    tracing::warn!(domain, why, fix, "DNSSEC validation failed");
    why
}
