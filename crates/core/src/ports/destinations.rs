//! Validation of webhook URLs.

use async_trait::async_trait;

/// Reason for the refusal of a URL, for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DestinationError(pub String);

/// Validates URLs. Refuses private addresses.
#[async_trait]
pub trait Destinations: Send + Sync {
    /// Validates a URL without DNS.
    ///
    /// # Errors
    ///
    /// When it is no http or https URL, or its address is not allowed.
    fn read(&self, url: &str) -> Result<(), DestinationError>;

    /// Validates a URL and the addresses of its host. An unknown host is accepted because it may exist later; each
    /// connection is checked again.
    ///
    /// # Errors
    ///
    /// As [`Self::read`], and when the host has an address that is not allowed.
    async fn check(&self, url: &str) -> Result<(), DestinationError>;
}
