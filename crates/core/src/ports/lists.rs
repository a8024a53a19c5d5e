//! Allow and block lists.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;

use super::StoreError;
use crate::model::{
    EntryName, ListDirection, ListEntry, ListExcerpt, ListKey, ListLevel, Locality, OrganizationId, Page, PageRequest,
    Suppression,
};

/// Query of entries in several lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcerptQuery {
    /// The levels, in any organization.
    pub levels: Vec<(OrganizationId, ListLevel)>,
    /// The directions; allow and block lists are both searched.
    pub directions: Vec<ListDirection>,
    /// The entries to find, in stored form.
    pub names: Vec<String>,
}

/// Query of everything that decides whether a message may go to its recipients, and where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientPolicyQuery {
    /// The sending organization.
    pub organization_id: OrganizationId,
    /// All recipients.
    pub recipients: Vec<EmailAddress>,
    /// The recipients outside the domains of the service.
    pub outside: Vec<EmailAddress>,
    /// The send lists.
    pub lists: ExcerptQuery,
}

/// Result of a [`RecipientPolicyQuery`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecipientPolicy {
    /// The suppressed recipients.
    pub suppressed: Vec<Suppression>,
    /// The matching entries per list; lists without entries are left out.
    pub excerpts: Vec<ListExcerpt>,
    /// One locality for each of the outside recipients, in their order, see [`super::DomainReads::custom_homes`].
    pub homes: Vec<Locality>,
}

/// Reads of lists.
#[port]
pub trait ListReads {
    /// Returns a page of a list, ordered by entry; the cursor id is the entry. Suppressed addresses are not included.
    async fn list_entries(&self, list: &ListKey, page: &PageRequest) -> Result<Page<ListEntry>, StoreError>;

    /// Returns an entry.
    async fn list_entry(&self, list: &ListKey, entry: &EntryName) -> Result<Option<ListEntry>, StoreError>;

    /// Returns the suppressions, list entries and localities of recipients, in one round trip. Its cost does not depend
    /// on the length of the lists.
    async fn recipient_policy(&self, query: &RecipientPolicyQuery) -> Result<RecipientPolicy, StoreError>;
}

/// Writes of lists.
#[port]
pub trait ListWrites: Send {
    /// Stores a new entry. An existing one violates [`super::Constraint::ListEntry`].
    async fn insert(&mut self, entry: &ListEntry) -> Result<(), StoreError>;

    /// Deletes an entry. Returns whether it existed.
    async fn delete(&mut self, list: &ListKey, entry: &EntryName) -> Result<bool, StoreError>;

    /// Deletes all lists of a level. Returns the number of their entries.
    async fn delete_all(&mut self, organization_id: OrganizationId, level: &ListLevel) -> Result<u64, StoreError>;
}
