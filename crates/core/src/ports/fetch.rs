//! Reading what a caller names by URL.

use async_trait::async_trait;

/// What was at a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The octets.
    pub content: Vec<u8>,
    /// The media type that the server named.
    pub content_type: Option<String>,
}

/// Why a URL could not be read; the words are for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(pub String);

/// Reads from the network, behind the guard against private addresses.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Reads at most `limit` octets from an http or https URL.
    ///
    /// # Errors
    /// When the URL is not allowed, does not answer 2xx in time, or holds more.
    async fn get(&self, url: &str, limit: usize) -> Result<Fetched, FetchError>;
}
