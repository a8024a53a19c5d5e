//! Notes on threads: internal texts that are never sent and cause no events.

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
    /// Text of the note.
    pub text: String,
    /// Author.
    pub created_by: Actor,
    /// Time of creation.
    pub created_at: OffsetDateTime,
}
