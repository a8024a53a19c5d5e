//! Drafts.

use inboxd_port_macros::port;
use time::{Duration, OffsetDateTime};

use super::StoreError;
use crate::model::{
    AttachmentId, ClaimedDraft, Content, ContentFilter, Draft, DraftId, DraftItem, InboxId, MessageId, OrganizationId,
    Page, PageRequest, PodId, StoredBlob, ThreadId,
};

/// State by which drafts are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftState {
    /// Without a schedule.
    Unscheduled,
    /// Without a schedule, and with content of an API key or a connection: a person approves it.
    Waiting,
    /// The scheduled send was refused.
    Failed,
}

/// Filter and page of a draft list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only drafts of this pod.
    pub pod_id: Option<PodId>,
    /// Only drafts of this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only drafts with all of these labels.
    pub labels: Vec<String>,
    /// Only drafts in this state.
    pub state: Option<DraftState>,
    /// Only drafts last changed before this time, exclusive.
    pub before: Option<OffsetDateTime>,
    /// Only drafts last changed after this time, exclusive.
    pub after: Option<OffsetDateTime>,
    /// The page, ordered by the time of the last change.
    pub page: PageRequest,
}

/// Content of a draft attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftContent {
    /// The attachment.
    pub attachment_id: AttachmentId,
    /// The bytes.
    pub content: Vec<u8>,
    /// Object of a new content that is stored outside its row; `None` for one in its row, and for one that was read.
    pub blob: Option<StoredBlob>,
}

/// Text of a revision of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftText {
    /// The draft.
    pub draft_id: DraftId,
    /// Its revision.
    pub revision: u64,
    /// Text body; empty without one.
    pub text: String,
}

/// State of the draft that a `client_id` created.
#[derive(Debug, Clone, PartialEq)]
pub enum MadeDraft {
    /// The draft exists.
    Here(Box<Draft>),
    /// The draft was sent or deleted, or its inbox was deleted.
    Gone,
}

/// Reads of drafts. Drafts of deleted inboxes are absent.
#[port]
pub trait DraftReads {
    /// Returns a page of drafts.
    async fn list_drafts(&self, query: &DraftQuery) -> Result<Page<DraftItem>, StoreError>;

    /// Returns a draft.
    async fn draft(&self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;

    /// Returns the texts of those drafts that have no HTML and at most `max_bytes` of text.
    async fn short_draft_texts(
        &self,
        organization_id: OrganizationId,
        draft_ids: &[DraftId],
        max_bytes: u32,
    ) -> Result<Vec<DraftText>, StoreError>;

    /// Returns the draft created with a `client_id`; `None` if there was none.
    async fn draft_of_client_id(
        &self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<MadeDraft>, StoreError>;

    /// Returns up to `limit` reply drafts of a thread, the last changed first. Bodies above `largest_body` bytes are
    /// left out.
    async fn drafts_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        limit: u32,
        largest_body: u32,
    ) -> Result<Vec<Draft>, StoreError>;

    /// Returns the content of all attachments of a draft.
    async fn draft_contents(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
    ) -> Result<Vec<DraftContent>, StoreError>;

    /// Returns the content of one attachment of a draft, or its object; `None` also for a content that the filter excludes.
    async fn draft_content(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
        attachment_id: AttachmentId,
        filter: ContentFilter,
    ) -> Result<Option<Content>, StoreError>;

    /// Returns the composed message of a draft that waits for an approval.
    async fn held_mail(
        &self,
        organization_id: OrganizationId,
        draft_id: DraftId,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Returns up to `limit` drafts whose approval expired before a time.
    async fn expired_approvals(&self, before: OffsetDateTime, limit: u32) -> Result<Vec<ClaimedDraft>, StoreError>;

    /// Returns the next due time of a scheduled draft, claims of other workers included; `None` when none is scheduled.
    async fn next_due_draft(&self) -> Result<Option<OffsetDateTime>, StoreError>;
}

/// Writes of drafts.
#[port]
pub trait DraftWrites: Send {
    /// Stores a new draft with its attachments.
    async fn insert(&mut self, draft: &Draft, contents: &[DraftContent]) -> Result<(), StoreError>;

    /// Locks and returns a draft of a live inbox.
    async fn lock(&mut self, organization_id: OrganizationId, draft_id: DraftId) -> Result<Option<Draft>, StoreError>;

    /// Locks and returns the draft of a delayed send, by the id that its message will have.
    async fn lock_delayed(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        message_id: &MessageId,
    ) -> Result<Option<Draft>, StoreError>;

    /// Stores the mutable fields of a draft and adds attachments. Deletes attachments that the draft no longer
    /// references, and the composed message of a draft that waits for no approval.
    async fn update(&mut self, draft: &Draft, added: &[DraftContent]) -> Result<(), StoreError>;

    /// Stores the composed message of a draft that waits for an approval: in its row, or outside as an object.
    async fn keep_held_mail(
        &mut self,
        organization_id: OrganizationId,
        draft_id: DraftId,
        raw: &[u8],
        blob: Option<StoredBlob>,
    ) -> Result<(), StoreError>;

    /// Claims up to `limit` due drafts for the length of the lease and increments their revisions. Skips rows that
    /// another worker is claiming.
    async fn claim_due(
        &mut self,
        now: OffsetDateTime,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<ClaimedDraft>, StoreError>;

    /// Deletes a draft with its attachments. Returns its size; `None` if the draft is missing or has another revision.
    async fn remove(&mut self, draft: &ClaimedDraft) -> Result<Option<u64>, StoreError>;
}
