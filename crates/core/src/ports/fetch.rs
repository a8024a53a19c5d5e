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

/// Counts bytes before they are held.
pub trait ByteMeter: Send + Sync {
    /// Counts so many more bytes.
    ///
    /// # Errors
    /// When there is no room for them: reading ends.
    fn count(&self, bytes: usize) -> Result<(), FetchError>;
}

/// Reads from the network, behind the guard against private addresses.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Reads at most `limit` bytes from each http or https URL, some of them side by side, within one deadline of 30
    /// seconds for all. The meter counts what comes in as it does. Returns the results in the order of the URLs.
    async fn get_all(&self, urls: &[String], limit: usize, meter: &dyn ByteMeter) -> Vec<Result<Fetched, FetchError>>;
}
