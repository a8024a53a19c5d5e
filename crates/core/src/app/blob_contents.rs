//! Stores of contents outside the rows of the database: which contents go there, and checked reads.

use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::model::{BlobKind, OrganizationId, StoredBlob};
use crate::ports::{BlobError, BlobName, BlobStore, ListedBlob, StoreError};

/// Objects that are deleted within one time limit.
const DELETED_TOGETHER: usize = 50;

/// Stores of contents outside the rows. Without one, all contents stay in their rows.
#[derive(Clone, Default)]
pub struct BlobContents {
    stores: Vec<(BlobKind, Arc<dyn BlobStore>)>,
    target: Option<BlobKind>,
    threshold: usize,
    retention: Duration,
}

impl BlobContents {
    /// Creates the contents of these stores. New contents above `threshold` bytes go to the store `target`; without one
    /// they stay in their rows. Objects outlive their rows by `retention`.
    #[must_use]
    pub fn new(
        stores: Vec<(BlobKind, Arc<dyn BlobStore>)>,
        target: Option<BlobKind>,
        threshold: usize,
        retention: Duration,
    ) -> Self {
        Self { stores, target, threshold, retention }
    }

    /// Returns the same stores for new contents in their rows.
    #[must_use]
    pub fn for_rows(&self) -> Self {
        Self { target: None, ..self.clone() }
    }

    /// Returns the store of new contents; `None` for their rows.
    #[must_use]
    pub fn target(&self) -> Option<BlobKind> {
        self.target
    }

    /// Returns the time for which objects outlive their rows.
    #[must_use]
    pub fn retention(&self) -> Duration {
        self.retention
    }

    /// Returns the size above which contents go to the store, in bytes.
    #[must_use]
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// Returns whether contents may be outside their rows.
    #[must_use]
    pub fn has_stores(&self) -> bool {
        !self.stores.is_empty()
    }

    /// Returns the configured stores.
    pub fn kinds(&self) -> impl Iterator<Item = BlobKind> + use<'_> {
        self.stores.iter().map(|(kind, _)| *kind)
    }

    /// Returns whether content of this size is stored outside its row.
    #[must_use]
    pub fn is_external(&self, bytes: usize) -> bool {
        self.target.is_some() && bytes > self.threshold
    }

    /// Stores content in the store of new contents.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`].
    pub async fn store(
        &self,
        (organization_id, blob_id, stored_at): (OrganizationId, Uuid, OffsetDateTime),
        content: &[u8],
        sha256: [u8; 32],
    ) -> Result<StoredBlob, StoreError> {
        let kind = self.require_target()?;
        let name = StoredBlob::name_of(organization_id, blob_id, stored_at);
        self.put(kind, &BlobName(name.clone()), content).await?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        Ok(StoredBlob { organization_id, blob_id, name, store: kind, bytes, sha256, stored_at })
    }

    /// Stores an object of a backup under its name, unless it exists.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`], also for an object of this name with another content.
    pub async fn restore(&self, name: &BlobName, content: &[u8]) -> Result<(), StoreError> {
        let kind = self.require_target()?;
        let Err(refused) = self.put(kind, name, content).await else { return Ok(()) };
        // A byte more shows that an existing object is longer.
        let end = u64::try_from(content.len()).unwrap_or(u64::MAX).saturating_add(1);
        match self.of(kind)?.get(name, Some(0..end)).await {
            Ok(existing) if existing == content => Ok(()),
            _ => Err(refused),
        }
    }

    /// Returns content of the size of its row. [`verify`](Self::verify) completes the check.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`]; [`StoreError::ContentLost`] for an object that is missing or damaged.
    pub async fn get(&self, blob: &StoredBlob) -> Result<Vec<u8>, StoreError> {
        self.read_range(blob, 0..blob.bytes).await
    }

    /// Checks the SHA-256 of content, which takes a millisecond for a megabyte.
    ///
    /// # Errors
    /// [`StoreError::ContentLost`] if it is not that of its row.
    pub fn verify(blob: &StoredBlob, content: &[u8]) -> Result<(), StoreError> {
        let sha256: [u8; 32] = Sha256::digest(content).into();
        if sha256 == blob.sha256 { Ok(()) } else { Err(damaged(blob, "its SHA-256 differs from that of its row")) }
    }

    /// Returns bytes of a range within content, without the rest.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`]; [`StoreError::ContentLost`] for an object that is missing or damaged.
    pub async fn read_range(&self, blob: &StoredBlob, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let bytes = range.end.saturating_sub(range.start);
        let name = BlobName(blob.name.clone());
        let content = self.of(blob.store)?.get(&name, Some(range)).await.map_err(unreadable)?;
        require_bytes(blob, &content, bytes)?;
        Ok(content)
    }

    /// Deletes objects of a store. Missing ones are no failure.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`].
    pub async fn delete(&self, kind: BlobKind, names: &[BlobName]) -> Result<(), StoreError> {
        for some in names.chunks(DELETED_TOGETHER) {
            self.of(kind)?.delete(some).await.map_err(unreadable)?;
        }
        Ok(())
    }

    /// Returns up to `limit` objects of a store in the order of their names, from the first one behind `after`.
    ///
    /// # Errors
    /// [`StoreError::ContentUnavailable`].
    pub async fn list(
        &self,
        kind: BlobKind,
        after: Option<&BlobName>,
        limit: usize,
    ) -> Result<Vec<ListedBlob>, StoreError> {
        self.of(kind)?.list(after, limit).await.map_err(unreadable)
    }

    /// Stores a new object.
    pub(super) async fn put(&self, kind: BlobKind, name: &BlobName, content: &[u8]) -> Result<(), StoreError> {
        self.of(kind)?.put(name, content).await.map_err(unreadable)
    }

    fn require_target(&self) -> Result<BlobKind, StoreError> {
        self.target.ok_or_else(|| StoreError::Failed("no blob store is configured".to_owned()))
    }

    pub(super) fn of(&self, kind: BlobKind) -> Result<&dyn BlobStore, StoreError> {
        let found = self.stores.iter().find(|(of, _)| *of == kind).map(|(_, store)| store.as_ref());
        found.ok_or_else(|| {
            StoreError::ContentUnavailable(format!(
                "the {} store is not configured; name it in INBOXD_BLOBS or INBOXD_BLOBS_FROM",
                kind.as_str()
            ))
        })
    }
}

fn require_bytes(blob: &StoredBlob, content: &[u8], bytes: u64) -> Result<(), StoreError> {
    if u64::try_from(content.len()).ok() == Some(bytes) {
        return Ok(());
    }
    Err(damaged(blob, &format!("it has {} bytes instead of {bytes}", content.len())))
}

fn damaged(blob: &StoredBlob, reason: &str) -> StoreError {
    let (name, reason) = (BlobName(blob.name.clone()), reason.to_owned());
    unreadable(BlobError::Damaged { name, reason })
}

/// Returns the failure of storage for one of a store of objects.
#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn unreadable(error: BlobError) -> StoreError {
    match error {
        BlobError::Unavailable(_) => StoreError::ContentUnavailable(error.to_string()),
        BlobError::Missing(_) | BlobError::Damaged { .. } => StoreError::ContentLost(error.to_string()),
    }
}
