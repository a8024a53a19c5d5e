//! Notes on threads.

use super::StoreError;
use crate::model::{InboxId, Note, OrganizationId, ThreadId};
use inboxd_port_macros::port;

/// Questions about notes.
#[port]
pub trait NoteReads {
    /// The notes of a thread, oldest first.
    async fn notes_of_thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<Vec<Note>, StoreError>;
}

/// Changes of notes. They go with their thread, without being asked.
#[port]
pub trait NoteWrites: Send {
    /// How many notes a thread has. Exact under the thread's lock.
    async fn count(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<u64, StoreError>;

    /// Stores a new note and counts its bytes in the usage of the inbox. The thread's lock is held by the caller.
    async fn insert(&mut self, note: &Note) -> Result<(), StoreError>;

    /// Deletes a note and takes its bytes out of the usage of the inbox. Answers whether it was there.
    async fn delete(&mut self, note: &Note) -> Result<bool, StoreError>;
}
