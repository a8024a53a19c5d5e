//! Route to a destination: its hosts, their addresses, and the TLS that each of them needs.

use std::net::IpAddr;
use std::sync::Arc;

use inboxd_core::model::{DeliveryOutcome, StsPolicy};
use inboxd_core::ports::Lookup;
use inboxd_core::rules::dane::DaneStatus;
use inboxd_core::rules::destinations::MailDestination;
use inboxd_core::rules::outgoing_tls::{DaneMissing, TlsLevel, TlsRequirement, required_tls};

use super::DirectTransport;
use super::dane::Dane;
use super::hosts::{self, FoundHosts, MailHost};
use super::sts;

/// Hosts of a destination with the policies for them.
pub(super) struct Route<'a> {
    pub(super) hosts: Vec<MailHost>,
    /// Validating resolver, where it may authenticate the hosts.
    dane: Option<&'a Dane>,
    policy: Option<Arc<StsPolicy>>,
    level: TlsLevel,
    /// Domain of the mail; empty for an address literal.
    domain: &'a str,
    is_code: bool,
}

/// Reason for which a destination has no route.
pub(super) enum NoRoute {
    /// The outcome of all recipients.
    Final(DeliveryOutcome),
    /// This reason defers all recipients.
    Deferred(String),
}

impl DirectTransport {
    /// Returns the route to a destination.
    pub(super) async fn route<'a>(
        &'a self,
        destination: &'a MailDestination,
        is_code: bool,
    ) -> Result<Route<'a>, NoRoute> {
        let level = self.options.tls_policy.level(destination);
        let domain = match destination {
            MailDestination::Domain(domain) => domain.as_str(),
            MailDestination::Host(_) => "",
        };
        let dane = self.dane_for(level).await;
        if level == TlsLevel::DaneOnly && dane.is_none() {
            return Err(NoRoute::Deferred(format!(
                "INBOXD_DIRECT_TLS demands DANE of {destination}, and the resolver does not pass DNSSEC records"
            )));
        }
        let found = hosts::find_hosts(destination, &self.resolver, dane, &self.options).await;
        let FoundHosts { hosts, is_secure } = found.map_err(NoRoute::Final)?;
        let policy = match destination {
            MailDestination::Domain(domain) if level != TlsLevel::May => self.sts_policy(domain).await?,
            _ => None,
        };
        Ok(Route { hosts, dane: dane.filter(|_| is_secure), policy, level, domain, is_code })
    }

    /// Returns the validating resolver, if it can be used for a destination of this level.
    async fn dane_for(&self, level: TlsLevel) -> Option<&Dane> {
        let dane = self.dane.as_ref().filter(|_| level != TlsLevel::May)?;
        dane.is_available().await.then_some(dane)
    }

    async fn sts_policy(&self, domain: &str) -> Result<Option<Arc<StsPolicy>>, NoRoute> {
        self.sts.policy(domain).await.map_err(|error| {
            tracing::warn!(domain, %error, "MTA-STS policy lookup failed");
            NoRoute::Deferred(format!("the MTA-STS policy of {domain} is unknown, because storage failed"))
        })
    }

    /// Returns the addresses of a host, and the TLS that its sessions need.
    ///
    /// # Errors
    /// The reason for which the host must not receive the message.
    pub(super) async fn host_on_route(
        &self,
        host: &MailHost,
        route: &Route<'_>,
    ) -> Result<(Vec<IpAddr>, TlsRequirement), String> {
        let (addresses, status) = match (host, route.dane) {
            (MailHost::At(address), _) => (Lookup::Found(vec![*address]), DaneStatus::NotPublished),
            (MailHost::Named(name), Some(dane)) => dane.host(name, route.domain, &self.resolver).await?,
            (MailHost::Named(name), None) => (self.resolver.addresses(name).await, DaneStatus::NotPublished),
        };
        let addresses = match addresses {
            Lookup::Found(addresses) => addresses,
            Lookup::Absent => return Err(format!("{} has no address", host.name())),
            Lookup::Failed(why) => return Err(format!("the addresses of {}: {why}", host.name())),
        };
        // DANE precedes MTA-STS (RFC 8461, section 2).
        let policy = route.policy.as_ref().filter(|_| !matches!(status, DaneStatus::Usable(_)));
        if let Some(why) = policy.and_then(|policy| sts::policy_violation(policy, host)) {
            return Err(why);
        }
        let enforces_sts = policy.is_some_and(|policy| policy.is_enforced());
        let requirement = required_tls(route.level, route.is_code, enforces_sts, status).map_err(|DaneMissing| {
            format!("{} has no usable TLSA records, which INBOXD_DIRECT_TLS demands (dane-only)", host.name())
        })?;
        Ok((addresses, requirement))
    }
}
