//! Where callers want events to be sent.

use async_trait::async_trait;

/// Why nothing is sent to a URL; the words are for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DestinationError(pub String);

/// Judges URLs, behind the guard against private addresses.
#[async_trait]
pub trait Destinations: Send + Sync {
    /// Judges a URL by itself.
    ///
    /// # Errors
    /// When it is no http or https URL, or names an address that is not allowed.
    fn read(&self, url: &str) -> Result<(), DestinationError>;

    /// Judges a URL by where its host is found now. A name that is not found is let pass, for it may be one that is yet to
    /// come: the guard stands at every connection as well.
    ///
    /// # Errors
    /// As [`Self::read`], and when the name leads to an address that is not allowed.
    async fn check(&self, url: &str) -> Result<(), DestinationError>;
}
