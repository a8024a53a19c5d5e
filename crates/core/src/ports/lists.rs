//! Allow and block lists.

use super::StoreError;
use crate::model::{
    EntryName, ListDirection, ListEntry, ListExcerpt, ListKey, ListLevel, OrganizationId, Page, PageRequest,
};
use inboxd_port_macros::port;

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

/// Reads of lists.
#[port]
pub trait ListReads {
    /// Returns a page of a list, ordered by entry; the cursor id is the entry. Suppressed addresses are not included.
    async fn list_entries(&self, list: &ListKey, page: &PageRequest) -> Result<Page<ListEntry>, StoreError>;

    /// Returns an entry.
    async fn list_entry(&self, list: &ListKey, entry: &EntryName) -> Result<Option<ListEntry>, StoreError>;

    /// Returns the matching entries per list; lists without entries are left out. Its cost does not depend on the
    /// length of the lists.
    async fn excerpts_of_lists(&self, query: &ExcerptQuery) -> Result<Vec<ListExcerpt>, StoreError>;
}

/// Writes of lists.
#[port]
pub trait ListWrites: Send {
    /// Stores a new entry. An existing one violates [`super::Constraint::ListEntry`].
    async fn insert(&mut self, entry: &ListEntry) -> Result<(), StoreError>;

    /// Deletes an entry. Returns whether it existed.
    async fn delete(&mut self, list: &ListKey, entry: &EntryName) -> Result<bool, StoreError>;

    /// Deletes all lists of a level.
    async fn delete_all(&mut self, organization_id: OrganizationId, level: &ListLevel) -> Result<(), StoreError>;
}
