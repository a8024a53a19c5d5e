//! Download of attachments by URL.

use async_trait::async_trait;

/// Downloaded content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The bytes.
    pub content: Vec<u8>,
    /// The media type from the response.
    pub content_type: Option<String>,
    /// The field `Cache-Control` of the response.
    pub cache_control: Option<String>,
}

/// Reason for a failed download, for the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(pub String);

/// Counts bytes before they are stored in memory.
pub trait ByteMeter: Send + Sync {
    /// Counts received bytes.
    ///
    /// # Errors
    ///
    /// When the limit is reached; the download ends.
    fn count(&self, bytes: usize) -> Result<(), FetchError>;
}

/// Byte meter without a limit.
#[derive(Debug, Clone, Copy)]
pub struct UnlimitedMeter;

impl ByteMeter for UnlimitedMeter {
    fn count(&self, _: usize) -> Result<(), FetchError> {
        Ok(())
    }
}

/// Downloads content. Refuses private addresses.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Downloads at most `limit` bytes from each http or https URL, several concurrently, with one deadline of 30
    /// seconds. The meter counts bytes as they arrive. Returns the results in the order of the URLs.
    async fn get_all(&self, urls: &[String], limit: usize, meter: &dyn ByteMeter) -> Vec<Result<Fetched, FetchError>>;
}
