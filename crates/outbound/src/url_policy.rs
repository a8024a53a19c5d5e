//! Early validation of webhook URLs.

use std::net::IpAddr;
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::ports::{DestinationError, Destinations};
use tokio::net::lookup_host;
use tokio::time::timeout;
use url::Host;

use crate::AddressGuard;
use crate::request_error::RequestError;
use crate::target_url::TargetUrl;

/// Limit for resolving a name. A slow or unknown name is accepted, because it may exist later.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Reason for which a webhook URL is refused. Each text states the cause and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum UrlRefusal {
    #[error(
        "cannot be read as a URL; give an absolute http or https URL, https://hooks.example.org/inboxd for example"
    )]
    InvalidUrl,
    #[error("exceeds {max} bytes; give a shorter URL")]
    TooLong { max: usize },
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

impl From<RequestError> for UrlRefusal {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::UrlTooLong { max } => Self::TooLong { max },
            RequestError::Scheme => Self::Scheme,
            RequestError::Credentials => Self::Credentials,
            _ => Self::InvalidUrl,
        }
    }
}

impl From<UrlRefusal> for DestinationError {
    fn from(refusal: UrlRefusal) -> Self {
        Self(refusal.to_string())
    }
}

/// URL policy backed by an [`AddressGuard`].
///
/// The check only reports mistakes early. The addresses of a name may change, so the guard also checks every
/// connection.
#[derive(Debug, Clone)]
pub struct GuardedUrlPolicy {
    guard: AddressGuard,
}

impl GuardedUrlPolicy {
    /// Returns a policy with this guard.
    #[must_use]
    pub fn new(guard: AddressGuard) -> Self {
        Self { guard }
    }

    fn parse_target(&self, url: &str) -> Result<TargetUrl, UrlRefusal> {
        // The URL parser drops control characters and white space, but the URL is stored as written.
        if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(UrlRefusal::InvalidUrl);
        }
        let target = TargetUrl::parse(url)?;
        let address = match target.host() {
            None => return Err(UrlRefusal::InvalidUrl),
            Some(Host::Domain(_)) => return Ok(target),
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
        };
        if self.guard.permits(address) { Ok(target) } else { Err(UrlRefusal::NotPublic) }
    }
}

#[async_trait]
impl Destinations for GuardedUrlPolicy {
    fn read(&self, url: &str) -> Result<(), DestinationError> {
        self.parse_target(url)?;
        Ok(())
    }

    async fn check(&self, url: &str) -> Result<(), DestinationError> {
        let target = self.parse_target(url)?;
        let Some(Host::Domain(name)) = target.host() else { return Ok(()) };
        // The resolver requires a port, which does not matter for a name.
        let Ok(Ok(mut found)) = timeout(LOOKUP_TIMEOUT, lookup_host((name, 0))).await else { return Ok(()) };
        if found.all(|address| self.guard.permits(address.ip())) { Ok(()) } else { Err(UrlRefusal::NotPublic.into()) }
    }
}
