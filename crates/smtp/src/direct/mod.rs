//! Handing outgoing mail to the servers of its recipients (RFC 5321, section 5).
//!
//! ```text
//! options.rs   ports, names, limits
//! hosts.rs     which hosts take the mail for a destination: MX, null MX, addresses
//! attempt.rs   one destination's part of a mail, from host to host
//! session.rs   from an address to a session that can take mail
//! pool.rs      few connections to one host, and those that wait for the next mail
//! memory.rs    hosts that could not be reached, and those whose TLS is broken
//! sts/         MTA-STS: destinations that insist on TLS
//! ```

mod attempt;
mod hosts;
mod memory;
mod options;
mod pool;
mod session;
mod sts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use inboxd_core::model::Outcome;
use inboxd_core::ports::{OutgoingMail, RecipientOutcome, Transport};
use inboxd_core::rules::destinations::Destination;

use self::memory::Memory;
use self::pool::Pool;
use self::session::Tls;
use self::sts::Sts;
use crate::client::can_be_said;
use crate::client::ledger::impossible;
use crate::dns::Resolver;

pub use self::options::{DirectOptions, Reach};
pub use self::sts::{PolicyFetch, PolicySources, is_sts_policy};

/// Why direct delivery cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum DirectError {
    /// The name for EHLO cannot be one.
    #[error("the host name {0:?} cannot be said in EHLO: it has to be one word of printable ASCII")]
    Hostname(String),
    /// TLS cannot be used at all.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

/// Delivers each mail to the servers of its recipients' domains.
///
/// A refusal is what a server says to MAIL, to RCPT or to the mail, or what DNS says for sure. All else is deferred:
/// silence, a broken connection, a resolver that fails, a host that takes nobody's mail at the moment.
pub struct Direct {
    options: DirectOptions,
    resolver: Arc<Resolver>,
    tls: Tls,
    sts: Sts,
    pool: Pool,
    memory: Memory,
}

impl Direct {
    /// Delivers to the hosts that this resolver names, and reads the policies of those who insist on TLS.
    ///
    /// # Errors
    /// [`DirectError`].
    pub fn new(options: DirectOptions, resolver: Arc<Resolver>, policies: PolicySources) -> Result<Self, DirectError> {
        Self::build(options, resolver, policies, Tls::new()?)
    }

    fn build(
        options: DirectOptions,
        resolver: Arc<Resolver>,
        policies: PolicySources,
        tls: Tls,
    ) -> Result<Self, DirectError> {
        if !can_be_said(&options.hostname) {
            return Err(DirectError::Hostname(options.hostname));
        }
        let sts = Sts::new(Arc::clone(&resolver), policies);
        let pool = Pool::new(&options);
        Ok(Self { options, resolver, tls, sts, pool, memory: Memory::default() })
    }
}

#[async_trait]
impl Transport for Direct {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        let mut groups: BTreeMap<Option<Destination>, Vec<usize>> = BTreeMap::new();
        for (place, recipient) in mail.recipients.iter().enumerate() {
            groups.entry(Destination::of(recipient)).or_default().push(place);
        }
        let delivered = groups.into_iter().map(async |(destination, places)| match destination {
            Some(destination) => self.deliver_to(&destination, mail, places).await,
            None => nowhere(mail, &places),
        });
        let mut outcomes: Vec<_> = join_all(delivered).await.into_iter().flatten().collect();
        outcomes.sort_by_key(|(place, _)| *place);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

/// The outcomes of recipients whose domain has no form that the network knows.
fn nowhere(mail: &OutgoingMail, places: &[usize]) -> Vec<(usize, RecipientOutcome)> {
    let outcome: Outcome =
        impossible("5.1.2", "the domain has no form in ASCII, so that no server can be found for it");
    let told = |&place: &usize| {
        let recipient = mail.recipients.get(place)?.clone();
        Some((place, RecipientOutcome { recipient, outcome: outcome.clone() }))
    };
    places.iter().filter_map(told).collect()
}
