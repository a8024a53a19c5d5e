//! Direct delivery to the mail hosts of the recipients (RFC 5321, section 5).
//!
//! ```text
//! options.rs      ports, names, limits
//! hosts.rs        mail hosts of a destination: MX, null MX, addresses
//! route.rs        addresses of each host, and the TLS that it needs
//! attempt.rs      delivery attempt for one destination, host by host
//! session.rs      sessions with mail hosts
//! requirement.rs  texts about the TLS that a session needs
//! pool.rs         connection permits and idle connections
//! host_status.rs  unreachable hosts and broken TLS
//! sts/            MTA-STS policies
//! dane/           TLSA records
//! ```

mod attempt;
mod dane;
mod host_status;
mod hosts;
mod options;
mod pool;
mod requirement;
mod route;
mod session;
mod sts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use inboxd_core::model::DeliveryOutcome;
use inboxd_core::ports::{OutgoingMail, RecipientOutcome, Transport};
use inboxd_core::rules::destinations::MailDestination;

use self::dane::Dane;
use self::host_status::HostStatus;
use self::pool::DirectPool;
use self::session::DirectTls;
use self::sts::StsPolicies;
use crate::client::is_ehlo_name;
use crate::client::recipient_outcomes::refused_locally;
use crate::dns::{DnsResolver, ValidatingResolver};

pub use self::options::{AddressFilter, DirectOptions};
pub use self::sts::{StsPolicyFetch, StsPolicySources, is_sts_policy};

/// Reason for which direct delivery cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum DirectError {
    /// The host name is not valid in EHLO.
    #[error("the host name {0:?} is not valid in EHLO: it must be one word of printable ASCII")]
    Hostname(String),
    /// The TLS library cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Transport that delivers each message to the mail hosts of its recipients.
///
/// A refusal is a server reply to MAIL, RCPT or the content, or a definite answer of DNS. All other failures defer:
/// silence, a broken connection, a failed resolver, or a host that accepts no mail at present.
pub struct DirectTransport {
    options: DirectOptions,
    resolver: Arc<DnsResolver>,
    tls: DirectTls,
    sts: StsPolicies,
    /// `None` without DANE.
    dane: Option<Dane>,
    pool: DirectPool,
    host_status: HostStatus,
}

impl DirectTransport {
    /// Returns a transport with this resolver and these sources of MTA-STS policies.
    ///
    /// # Errors
    /// [`DirectError`] when the host name is not valid or TLS cannot be set up.
    pub fn new(
        options: DirectOptions,
        resolver: Arc<DnsResolver>,
        policies: StsPolicySources,
    ) -> Result<Self, DirectError> {
        Self::build(options, resolver, policies, DirectTls::new()?)
    }

    fn build(
        options: DirectOptions,
        resolver: Arc<DnsResolver>,
        policies: StsPolicySources,
        tls: DirectTls,
    ) -> Result<Self, DirectError> {
        if !is_ehlo_name(&options.hostname) {
            return Err(DirectError::Hostname(options.hostname));
        }
        let sts = StsPolicies::new(Arc::clone(&resolver), policies);
        let pool = DirectPool::new(&options);
        Ok(Self { options, resolver, tls, sts, dane: None, pool, host_status: HostStatus::default() })
    }

    /// Authenticates hosts by the TLSA records that this resolver validates (RFC 7672).
    #[must_use]
    pub fn with_dane(self, resolver: ValidatingResolver) -> Self {
        let dane = Some(Dane::new(resolver, self.options.port));
        Self { dane, ..self }
    }
}

#[async_trait]
impl Transport for DirectTransport {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        let mut groups: BTreeMap<Option<MailDestination>, Vec<usize>> = BTreeMap::new();
        for (position, recipient) in mail.recipients.iter().enumerate() {
            groups.entry(MailDestination::of(recipient)).or_default().push(position);
        }
        let delivered = groups.into_iter().map(async |(destination, positions)| match destination {
            Some(destination) => self.deliver_to(&destination, mail, positions).await,
            None => undeliverable(mail, &positions),
        });
        let mut outcomes: Vec<_> = join_all(delivered).await.into_iter().flatten().collect();
        outcomes.sort_by_key(|(position, _)| *position);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

/// Returns the outcomes of recipients at domains without an ASCII form.
fn undeliverable(mail: &OutgoingMail, positions: &[usize]) -> Vec<(usize, RecipientOutcome)> {
    let outcome: DeliveryOutcome = refused_locally("5.1.2", "the domain has no ASCII form, so it has no mail host");
    let outcome_at = |&position: &usize| {
        let recipient = mail.recipients.get(position)?.clone();
        Some((position, RecipientOutcome { recipient, report: outcome.clone().into() }))
    };
    positions.iter().filter_map(outcome_at).collect()
}
