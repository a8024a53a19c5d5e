//! Notes on threads.

use super::StoreError;
use crate::model::{InboxId, Note, OrganizationId, ThreadId};
use inboxd_port_macros::port;

/// Reads of notes.
#[port]
pub trait NoteReads {
    /// Returns the notes of a thread, oldest first.
    async fn notes_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Vec<Note>, StoreError>;
}

/// Writes of notes. They are deleted with their thread.
#[port]
pub trait NoteWrites: Send {
    /// Returns the number of notes of a thread. Exact under the lock of the thread.
    async fn count(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<u64, StoreError>;

    /// Stores a new note and adds its bytes to the usage of the inbox. The caller holds the thread lock.
    async fn insert(&mut self, note: &Note) -> Result<(), StoreError>;

    /// Deletes a note and subtracts its bytes from the usage of the inbox. Returns whether it existed.
    async fn delete(&mut self, note: &Note) -> Result<bool, StoreError>;
}
