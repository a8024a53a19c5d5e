//! Objects outside the rows of the database: large contents that never change.

use std::ops::Range;

use async_trait::async_trait;
use time::OffsetDateTime;

/// Name of an object, `organization/yyyy-mm-dd/random id`. It is written once and never again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobName(pub String);

/// An object in a listing of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBlob {
    /// Its name.
    pub name: BlobName,
    /// Time at which it was stored.
    pub stored_at: OffsetDateTime,
}

/// Failure of a store of objects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// The store cannot be reached or is full; the same call may succeed later.
    #[error("the blob store is not available: {0}")]
    Unavailable(String),
    /// The object does not exist.
    #[error("the blob store has no object {}", .0.0)]
    Missing(BlobName),
    /// The object has changed, is cut off, or was sealed with another key.
    #[error("the object {} cannot be read: {reason}", name.0)]
    Damaged {
        /// Its name.
        name: BlobName,
        /// Cause.
        reason: String,
    },
}

/// Store of objects. An object is readable as soon as `put` has returned, and survives a crash of the process and of the
/// machine from then on. Contents are sealed: what a store holds reveals nothing but names and sizes.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores a new object.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    async fn put(&self, name: &BlobName, content: &[u8]) -> Result<(), BlobError>;

    /// Returns an object, or the bytes of a range within it.
    ///
    /// # Errors
    /// [`BlobError`].
    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Vec<u8>, BlobError>;

    /// Deletes objects. Missing ones are no failure.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError>;

    /// Returns up to `limit` objects in the order of their names, from the first one behind `after`.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError>;
}
