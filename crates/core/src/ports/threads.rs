//! Threads.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{HidingLabels, InboxId, Labels, OrganizationId, Page, PageRequest, Scope, Thread, ThreadId};
use crate::rules::trust::Verdict;

/// Key of a thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadKey {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The thread.
    pub thread_id: ThreadId,
}

/// Filter of threads by assignee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssigneeFilter {
    /// Unassigned threads.
    Nobody,
    /// Threads assigned to the member or key with this id.
    Id(String),
}

/// Filter and page of a thread list. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The scope.
    pub scope: Scope,
    /// Only threads with all of these labels.
    pub labels: Vec<String>,
    /// Only threads before this time, exclusive.
    pub before: Option<OffsetDateTime>,
    /// Only threads after this time, exclusive.
    pub after: Option<OffsetDateTime>,
    /// Excludes threads whose messages all have other hiding labels than these.
    pub included: HidingLabels,
    /// Substrings of a sender, in lower case.
    pub senders: Vec<String>,
    /// Substrings of a recipient, in lower case.
    pub recipients: Vec<String>,
    /// Substrings of the subject, in lower case.
    pub subject: Vec<String>,
    /// A substring of sender, recipients, subject or text of a message, in lower case.
    pub search: Option<String>,
    /// The assignee.
    pub assignee: Option<AssigneeFilter>,
    /// The verdicts, of which the newest received message must have one; empty for no condition.
    pub trust: Vec<Verdict>,
    /// The page, ordered by timestamp.
    pub page: PageRequest,
}

/// A thread reduced to the messages that a caller may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleThread {
    /// The thread.
    pub thread_id: ThreadId,
    /// The labels of the readable messages.
    pub labels: Labels,
    /// The number of readable messages.
    pub message_count: u64,
    /// The bytes of the readable raw messages.
    pub size: u64,
}

/// Reads of threads.
#[port]
pub trait ThreadReads {
    /// Returns a page of threads.
    async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<Thread>, StoreError>;

    /// Returns the inbox of a thread; `None` when the inbox is deleted.
    async fn inbox_of_thread(
        &self,
        organization_id: OrganizationId,
        thread_id: ThreadId,
    ) -> Result<Option<InboxId>, StoreError>;

    /// Returns a thread, unless all its messages have other hiding labels than `readable`.
    async fn thread(
        &self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
        readable: HidingLabels,
    ) -> Result<Option<Thread>, StoreError>;

    /// Returns threads without the messages that have other hiding labels than `readable`.
    async fn visible_threads(
        &self,
        organization_id: OrganizationId,
        threads: &[ThreadKey],
        readable: HidingLabels,
    ) -> Result<Vec<VisibleThread>, StoreError>;

    /// Returns the number of visible threads with unread messages of each of these inboxes, in the same order. The count
    /// of an inbox stops at `limit`.
    async fn unread_threads(
        &self,
        organization_id: OrganizationId,
        inbox_ids: &[InboxId],
        limit: u32,
    ) -> Result<Vec<u64>, StoreError>;
}

/// Writes of threads.
#[port]
pub trait ThreadWrites: Send {
    /// Locks and returns threads, in the order of their ids. Unknown threads are left out.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_ids: &[ThreadId],
    ) -> Result<Vec<Thread>, StoreError>;

    /// Locks and returns threads of several inboxes, in the order of inbox and id. Unknown threads and those of deleted
    /// inboxes are left out.
    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError>;

    /// Stores the fields of threads that derive from their messages, at the latest with the commit. The commit fails
    /// with [`StoreError::Contention`] if a thread is missing. The caller holds the locks; `threads` must not repeat a
    /// thread.
    async fn update(&mut self, threads: &[Thread]) -> Result<(), StoreError>;

    /// Unassigns all threads outside the inboxes in `keep`, including threads locked by other transactions. Locks the
    /// assignee so that no other transaction assigns a thread meanwhile.
    async fn unassign(
        &mut self,
        organization_id: OrganizationId,
        assignee_id: &str,
        keep: &BTreeSet<InboxId>,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes a thread without messages.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<(), StoreError>;
}
