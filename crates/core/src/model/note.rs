//! Notes: what is written beside a thread, never sent and never an event.

use time::OffsetDateTime;

use super::{Actor, InboxId, NoteId, OrganizationId, ThreadId};

/// A note on a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The inbox of the thread.
    pub inbox_id: InboxId,
    /// The thread.
    pub thread_id: ThreadId,
    /// Its id.
    pub note_id: NoteId,
    /// What it says.
    pub text: String,
    /// Who wrote it.
    pub created_by: Actor,
    /// When it was written.
    pub created_at: OffsetDateTime,
}
