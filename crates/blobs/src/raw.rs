//! Objects as a store holds them.

use std::ops::Range;

use async_trait::async_trait;
use bytes::Bytes;
use inboxd_core::ports::{BlobError, BlobName, ListedBlob};

/// Store of sealed objects, below [`SealedBlobs`](crate::SealedBlobs). It takes contents as they are.
#[async_trait]
pub trait RawBlobs: Send + Sync + 'static {
    /// Stores a new object durably. An existing one is refused, not replaced.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    async fn put(&self, name: &BlobName, content: Bytes) -> Result<(), BlobError>;

    /// Returns an object, or the existing bytes of a range, which is not empty.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`] and [`BlobError::Missing`].
    async fn get(&self, name: &BlobName, range: Option<Range<u64>>) -> Result<Bytes, BlobError>;

    /// Deletes objects. Missing ones are no failure.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    async fn delete(&self, names: &[BlobName]) -> Result<(), BlobError>;

    /// Returns up to `limit` objects in the order of the bytes of their names, from the first one behind `after`.
    ///
    /// Some servers list folders as a tree, in which `one/a` precedes `one-b/a`. For ids of one length the order is the same.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    async fn list(&self, after: Option<&BlobName>, limit: usize) -> Result<Vec<ListedBlob>, BlobError>;
}

/// Returns the error of an object that exists, whose name must not be used again.
pub(crate) fn already_exists(name: &BlobName) -> BlobError {
    BlobError::Unavailable(format!("an object {} exists already, and objects are not replaced", name.0))
}

/// Returns the error of a name that no object can have.
pub(crate) fn invalid_name(name: &BlobName) -> BlobError {
    BlobError::Unavailable(format!("{:?} is no name of an object", name.0))
}
