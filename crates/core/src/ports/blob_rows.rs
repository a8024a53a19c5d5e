//! Rows of contents outside the database, for the removal of objects and for moves between stores.

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{BlobName, MessageKey, StoreError};
use crate::model::{AttachmentId, BlobKind, DraftId, FileId, OrganizationId, StoredBlob};

/// Objects of one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobTotals {
    /// The store.
    pub store: BlobKind,
    /// Number of objects with a row.
    pub objects: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Number of objects that wait for their removal.
    pub removals: u64,
    /// Bytes of these.
    pub removal_bytes: u64,
}

/// Claimed search for objects without rows in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobSweep {
    /// Name behind which it continues; `None` at the beginning.
    pub after: Option<BlobName>,
}

/// Object in a list of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    /// The object.
    pub blob: StoredBlob,
    /// Whether it waits for its removal.
    pub is_removed: bool,
}

/// Kind of the rows that may have their content outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// Raw mail.
    Mail,
    /// Attachments of drafts.
    DraftAttachment,
    /// Files of inboxes.
    File,
}

impl ContentKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Mail, Self::DraftAttachment, Self::File];
}

/// Row that has a content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentKey {
    /// Raw mail of a message.
    Mail(MessageKey),
    /// Attachment of a draft.
    DraftAttachment(OrganizationId, DraftId, AttachmentId),
    /// File of an inbox.
    File(OrganizationId, FileId),
}

impl ContentKey {
    /// Returns the owner.
    #[must_use]
    pub fn organization_id(&self) -> OrganizationId {
        match self {
            Self::Mail(key) => key.organization_id,
            Self::DraftAttachment(organization_id, ..) | Self::File(organization_id, _) => *organization_id,
        }
    }
}

/// Page of a walk over the rows of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentPage {
    /// Rows with their content elsewhere than in the target.
    pub misplaced: Vec<ContentKey>,
    /// Row at which the next page begins; `None` at the end.
    pub next: Option<ContentKey>,
}

/// Content of a row with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedContent {
    /// The content.
    pub content: Vec<u8>,
    /// Its object; `None` if it is in its row.
    pub blob: Option<StoredBlob>,
    /// SHA-256 of the stored form of a content in its row, by which a change is noticed.
    pub row_sha256: Option<[u8; 32]>,
}

/// Rows of contents outside the database.
#[async_trait]
pub trait BlobRows: Send + Sync {
    /// Returns up to `limit` objects of these stores that were removed before a time, the first removed first. Objects that
    /// queued mail needs are left out.
    async fn due_blob_removals(
        &self,
        stores: &[BlobKind],
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<StoredBlob>, StoreError>;

    /// Deletes the rows of removed objects.
    async fn forget_blobs(&self, blobs: &[StoredBlob]) -> Result<(), StoreError>;

    /// Returns those of these ids that no row has.
    async fn unknown_blobs(&self, ids: &[(OrganizationId, Uuid)]) -> Result<Vec<(OrganizationId, Uuid)>, StoreError>;

    /// Claims the search for objects without rows in a store until a time; `None` while it is not due or another process has
    /// the claim.
    async fn claim_blob_sweep(
        &self,
        store: BlobKind,
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<Option<BlobSweep>, StoreError>;

    /// Stores the name behind which the search continues, and its next time.
    async fn save_blob_sweep(
        &self,
        store: BlobKind,
        after: Option<&BlobName>,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns up to `limit` objects behind a key in the order of organization and id.
    async fn blobs_after(
        &self,
        after: Option<(OrganizationId, Uuid)>,
        limit: u32,
    ) -> Result<Vec<ListedObject>, StoreError>;

    /// Stores that these objects are in this store, after their restore.
    async fn assign_blobs(&self, store: BlobKind, ids: &[(OrganizationId, Uuid)]) -> Result<(), StoreError>;

    /// Returns the totals of every store that has objects.
    async fn blob_totals(&self) -> Result<Vec<BlobTotals>, StoreError>;

    /// Returns the next page of the rows of a kind. The target is a store, for contents above `threshold` bytes, or `None`
    /// for the rows.
    async fn misplaced_contents(
        &self,
        kind: ContentKind,
        target: Option<BlobKind>,
        threshold: usize,
        after: Option<&ContentKey>,
    ) -> Result<ContentPage, StoreError>;

    /// Returns the content of a row; `None` if the row is gone.
    async fn placed_content(&self, key: &ContentKey) -> Result<Option<PlacedContent>, StoreError>;

    /// Changes the place of the content of a row: to an object, or with `None` into the row. The previous object waits for
    /// its removal. Returns `false`, without a change, if the row has changed or is gone.
    async fn replace_content(
        &self,
        key: &ContentKey,
        from: &PlacedContent,
        to: Option<&StoredBlob>,
    ) -> Result<bool, StoreError>;
}
