//! Drafts.

use inboxd_port_macros::port;
use time::{Duration, OffsetDateTime};

use super::StoreError;
use crate::model::{
    AttachmentId, ClaimedDraft, Draft, DraftId, DraftItem, InboxId, OrganizationId, Page, PageRequest, PodId, ThreadId,
};

/// Which drafts to list. Every condition that is named must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only those of this pod.
    pub pod_id: Option<PodId>,
    /// Only those of this inbox.
    pub inbox_id: Option<InboxId>,
    /// Those that carry all of these labels.
    pub labels: Vec<String>,
    /// Those last changed strictly before this.
    pub before: Option<OffsetDateTime>,
    /// Those last changed strictly after this.
    pub after: Option<OffsetDateTime>,
    /// Which page; ordered by the time of the last change.
    pub page: PageRequest,
}

/// The octets of an attachment of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftContent {
    /// The attachment.
    pub attachment_id: AttachmentId,
    /// Its octets.
    pub content: Vec<u8>,
}

/// What has become of the draft that a `client_id` made.
#[derive(Debug, Clone, PartialEq)]
pub enum MadeDraft {
    /// It is there.
    Here(Box<Draft>),
    /// It was sent or deleted, or its inbox was.
    Gone,
}

/// Questions about drafts. Those of deleted inboxes are not there.
#[port]
pub trait DraftReads {
    /// A page of drafts.
    async fn list_drafts(&self, query: &DraftQuery) -> Result<Page<DraftItem>, StoreError>;

    /// One draft.
    async fn draft(&self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;

    /// The draft that a `client_id` made; `None` when it made none.
    async fn draft_of_client_id(
        &self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<MadeDraft>, StoreError>;

    /// At most `limit` answers that were begun on a thread, the one changed last first. A body larger than
    /// `largest_body` octets is left out.
    async fn drafts_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        limit: u32,
        largest_body: u32,
    ) -> Result<Vec<Draft>, StoreError>;

    /// The octets of all attachments of a draft.
    async fn draft_contents(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
    ) -> Result<Vec<DraftContent>, StoreError>;

    /// The octets of one attachment of a draft.
    async fn draft_content(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
        attachment_id: AttachmentId,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// When the next draft is to be sent, claims of other workers included; `None` when none is scheduled.
    async fn next_due_draft(&self) -> Result<Option<OffsetDateTime>, StoreError>;
}

/// Changes of drafts.
#[port]
pub trait DraftWrites: Send {
    /// Stores a new draft with its attachments.
    async fn insert(&mut self, draft: &Draft, contents: &[DraftContent]) -> Result<(), StoreError>;

    /// Reads a draft of a live inbox and locks it.
    async fn lock(&mut self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;

    /// Stores all of a draft that can change, and these attachments beside those it has; attachments that it no longer
    /// names are deleted.
    async fn update(&mut self, draft: &Draft, added: &[DraftContent]) -> Result<(), StoreError>;

    /// Claims up to `limit` drafts whose time has come, passing over those that another worker is claiming. Until the
    /// lease has run out nobody else gets them; their revision is counted up.
    async fn claim_due(
        &mut self,
        now: OffsetDateTime,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<ClaimedDraft>, StoreError>;

    /// Deletes a draft with its attachments. Returns its size; `None` where it was not there in this very revision.
    async fn remove(&mut self, draft: &ClaimedDraft) -> Result<Option<u64>, StoreError>;
}
