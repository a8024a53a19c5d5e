//! Judging where events are to be sent, before any is.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::ports::{DestinationError, Destinations};
use tokio::net::lookup_host;
use tokio::time::timeout;
use url::Host;

use crate::Guard;
use crate::problem::Problem;
use crate::target::Target;

/// How long to wait for a name to be found. One that is not found in time is let pass, as one that is not there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why nothing is sent to a URL. Each text names the cause and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error(
        "cannot be read as a URL; give an absolute http or https URL, https://hooks.example.org/inboxd for example"
    )]
    NoUrl,
    #[error("is longer than {most} octets; give a shorter URL")]
    TooLong { most: usize },
    #[error("is neither an http nor an https URL; give one of these")]
    Scheme,
    #[error(
        "carries a user name or password, which every reader of the webhook would see; leave them out and send them in \
         `headers`, as Authorization"
    )]
    Credentials,
    #[error(
        "leads to an address that is not public; give a URL that the internet can reach (the operator can allow private \
         addresses with INBOXD_OUTBOUND_ALLOW_CIDRS)"
    )]
    NotPublic,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::UrlTooLong { most } => Self::TooLong { most },
            Problem::Scheme => Self::Scheme,
            Problem::Credentials => Self::Credentials,
            _ => Self::NoUrl,
        }
    }
}

impl From<Refusal> for DestinationError {
    fn from(refusal: Refusal) -> Self {
        Self(refusal.to_string())
    }
}

/// Judges URLs by a [`Guard`]. It only spares a caller who errs the wait for a delivery that can never be made: what is
/// found at a name may change, and the guard stands at every connection as well.
#[derive(Debug, Clone)]
pub struct GuardedDestinations {
    guard: Guard,
}

impl GuardedDestinations {
    /// Judges by this guard.
    #[must_use]
    pub fn new(guard: Guard) -> Self {
        Self { guard }
    }

    fn target(&self, url: &str) -> Result<Target, Refusal> {
        // The parser drops what is not seen; the URL is kept as it was given.
        if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Refusal::NoUrl);
        }
        let target = Target::parse(url)?;
        let address = match target.host() {
            None => return Err(Refusal::NoUrl),
            Some(Host::Domain(_)) => return Ok(target),
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
        };
        if self.guard.permits(address) { Ok(target) } else { Err(Refusal::NotPublic) }
    }
}

#[async_trait]
impl Destinations for GuardedDestinations {
    fn read(&self, url: &str) -> Result<(), DestinationError> {
        self.target(url)?;
        Ok(())
    }

    async fn check(&self, url: &str) -> Result<(), DestinationError> {
        let target = self.target(url)?;
        let Some(Host::Domain(name)) = target.host() else { return Ok(()) };
        // The port is of no matter to a name, and the resolver wants one.
        let Ok(Ok(mut found)) = timeout(PATIENCE, lookup_host((name, 0))).await else { return Ok(()) };
        if found.all(|address| self.guard.permits(address.ip())) { Ok(()) } else { Err(Refusal::NotPublic.into()) }
    }
}
