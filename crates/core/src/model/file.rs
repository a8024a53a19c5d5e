//! Files of inboxes, uploaded by URL.

use time::{Duration, OffsetDateTime};

use super::{FileId, InboxId, OrganizationId};

/// A file of an inbox. Its size counts as storage from its creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxFile {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Its id.
    pub file_id: FileId,
    /// Path within the inbox, unique there.
    pub path: String,
    /// Media type.
    pub content_type: String,
    /// Size in bytes, as declared.
    pub size: u64,
    /// SHA-256 of the content, as declared.
    pub sha256: [u8; 32],
    /// Whether the upload was completed.
    pub is_ready: bool,
    /// Id of the member or key that created the file.
    pub created_by: String,
    /// Time of expiry; `None` for a file that is kept until its deletion.
    pub expires_at: Option<OffsetDateTime>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl InboxFile {
    /// Maximum size. Every file fits as an attachment.
    pub const MAX_BYTES: u64 = 25 * 1_000_000;
    /// Maximum number of files of an organization, pending ones included.
    pub const MAX_PER_ORGANIZATION: u64 = 10_000;
    /// Time within which an upload is completed. Then the file is gone.
    pub const PENDING_TTL: Duration = Duration::DAY;

    /// Returns the time at which the file is gone: its expiry, and of a pending file the end of its upload if earlier.
    #[must_use]
    pub fn ends_at(&self) -> Option<OffsetDateTime> {
        let upload_ends = (!self.is_ready).then_some(self.created_at + Self::PENDING_TTL);
        self.expires_at.into_iter().chain(upload_ends).min()
    }

    /// Returns whether the file is gone.
    #[must_use]
    pub fn is_over(&self, now: OffsetDateTime) -> bool {
        self.ends_at().is_some_and(|at| at <= now)
    }

    /// Returns the last segment of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}
