//! Threads.

use std::collections::BTreeSet;

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{HidingLabels, InboxId, Labels, OrganizationId, Page, PageRequest, Scope, Thread, ThreadId};

/// A thread by its key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadKey {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The thread.
    pub thread_id: ThreadId,
}

/// Whose threads to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssigneeFilter {
    /// Those assigned to nobody.
    Nobody,
    /// Those assigned to this member or key, by its id.
    Id(String),
}

/// Which threads to list. Every condition that is named must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Where.
    pub scope: Scope,
    /// Those that carry all of these labels.
    pub labels: Vec<String>,
    /// Those strictly before this.
    pub before: Option<OffsetDateTime>,
    /// Those strictly after this.
    pub after: Option<OffsetDateTime>,
    /// Those all of whose messages have other hiding labels than these are left out.
    pub included: HidingLabels,
    /// Substrings of a sender, each in lower case.
    pub senders: Vec<String>,
    /// Substrings of a recipient, each in lower case.
    pub recipients: Vec<String>,
    /// Substrings of the subject, each in lower case.
    pub subject: Vec<String>,
    /// A substring of sender, recipients, subject or text of a message, in lower case.
    pub search: Option<String>,
    /// Whose they are.
    pub assignee: Option<AssigneeFilter>,
    /// Which page; ordered by timestamp.
    pub page: PageRequest,
}

/// A thread without the messages that a reader may not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleThread {
    /// The thread.
    pub thread_id: ThreadId,
    /// The labels of the messages that are left.
    pub labels: Labels,
    /// The number of messages that are left.
    pub message_count: u64,
    /// The bytes of their raw mails.
    pub size: u64,
}

/// Questions about threads.
#[port]
pub trait ThreadReads {
    /// A page of threads.
    async fn list_threads(&self, query: &ThreadQuery) -> Result<Page<Thread>, StoreError>;

    /// The inbox of a thread; a deleted inbox is not there.
    async fn inbox_of_thread(
        &self,
        organization_id: OrganizationId,
        thread_id: ThreadId,
    ) -> Result<Option<InboxId>, StoreError>;

    /// One thread, unless all of its messages have other hiding labels than `readable`.
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
}

/// Changes of threads.
#[port]
pub trait ThreadWrites: Send {
    /// Reads threads and locks them, in the order of their ids; unknown ones are left out.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_ids: &[ThreadId],
    ) -> Result<Vec<Thread>, StoreError>;

    /// Reads threads of any inboxes and locks them, in the order of their inboxes and ids; unknown ones, and those of inboxes
    /// that are gone, are left out.
    async fn lock_across(&mut self, threads: &[ThreadKey]) -> Result<Vec<Thread>, StoreError>;

    /// Stores all of threads that their messages make, each once, at the latest with the commit, which then says
    /// [`StoreError::Contention`] of one that is not there. Their locks are held by the caller.
    async fn update(&mut self, threads: &[Thread]) -> Result<(), StoreError>;

    /// Takes every thread from an assignee that is in none of the inboxes to keep, those included that somebody else is
    /// writing. The assignee is locked, so that they are given no other meanwhile.
    async fn unassign(
        &mut self,
        organization_id: OrganizationId,
        assignee_id: &str,
        keep: &BTreeSet<InboxId>,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes a thread that has no messages left.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        thread_id: ThreadId,
    ) -> Result<(), StoreError>;
}
