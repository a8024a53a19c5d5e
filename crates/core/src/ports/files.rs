//! Files of inboxes.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Content, ContentFilter, FileId, InboxFile, InboxId, OrganizationId, Page, PageRequest, StoredBlob};

/// Files of an inbox in the order of their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileQuery {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Beginning of the paths; empty for all.
    pub path_prefix: String,
    /// Files that are gone by this time are left out.
    pub now: OffsetDateTime,
    /// The page. The id of its cursor is a path.
    pub page: PageRequest,
}

/// A locked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedFile {
    /// The file.
    pub file: InboxFile,
    /// Whether its content was uploaded.
    pub has_content: bool,
}

/// Reads of files. Files of deleted inboxes are absent.
#[port]
pub trait FileReads {
    /// Returns a file.
    async fn file(&self, organization_id: OrganizationId, file_id: FileId) -> Result<Option<InboxFile>, StoreError>;

    /// Returns the bytes of a file, once uploaded.
    async fn file_bytes(&self, organization_id: OrganizationId, file_id: FileId)
    -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns the content of a file, or its object, once uploaded; `None` also for a content that the filter excludes.
    async fn file_content(
        &self,
        organization_id: OrganizationId,
        file_id: FileId,
        filter: ContentFilter,
    ) -> Result<Option<Content>, StoreError>;

    /// Returns a page of files.
    async fn list_files(&self, query: &FileQuery) -> Result<Page<InboxFile>, StoreError>;
}

/// Writes of files. The files of a deleted inbox are deleted with its messages.
#[port]
pub trait FileWrites: Send {
    /// Locks a file of an existing inbox.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        file_id: FileId,
    ) -> Result<Option<LockedFile>, StoreError>;

    /// Locks the file at a path.
    async fn lock_at(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        path: &str,
    ) -> Result<Option<LockedFile>, StoreError>;

    /// Stores a new file without content.
    async fn insert(&mut self, file: &InboxFile) -> Result<(), StoreError>;

    /// Stores the content of a locked file: in its row, or outside as an object.
    async fn insert_content(
        &mut self,
        organization_id: OrganizationId,
        file_id: FileId,
        content: &[u8],
        blob: Option<StoredBlob>,
    ) -> Result<(), StoreError>;

    /// Stores that a locked file is ready.
    async fn complete(&mut self, file: &InboxFile) -> Result<(), StoreError>;

    /// Deletes a locked file with its content.
    async fn delete(&mut self, organization_id: OrganizationId, file_id: FileId) -> Result<(), StoreError>;

    /// Deletes up to `limit` files of existing inboxes that are gone by `now`, and returns them. Files that another
    /// unit of work has locked are skipped.
    async fn delete_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<Vec<InboxFile>, StoreError>;
}
