//! Allow and block lists.

use super::StoreError;
use crate::model::{
    EntryName, ListDirection, ListEntry, ListExcerpt, ListKey, ListLevel, OrganizationId, Page, PageRequest,
};
use inboxd_port_macros::port;

/// What to look for in which lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcerptQuery {
    /// The levels, of any organization.
    pub levels: Vec<(OrganizationId, ListLevel)>,
    /// Which mail the lists are about; both types are looked into.
    pub directions: Vec<ListDirection>,
    /// The entries to look for, in their stored form.
    pub names: Vec<String>,
}

/// Questions about lists.
#[port]
pub trait ListReads {
    /// A page of a list, in the order of the entries; the id of its cursor is the entry. It holds no suppressed address.
    async fn list_entries(&self, list: &ListKey, page: &PageRequest) -> Result<Page<ListEntry>, StoreError>;

    /// One entry.
    async fn list_entry(&self, list: &ListKey, entry: &EntryName) -> Result<Option<ListEntry>, StoreError>;

    /// What the lists hold of the names; a list that is empty is left out. It reads no more of a list than that,
    /// however long the list is.
    async fn excerpts_of_lists(&self, query: &ExcerptQuery) -> Result<Vec<ListExcerpt>, StoreError>;
}

/// Changes of lists.
#[port]
pub trait ListWrites: Send {
    /// Stores a new entry. One that is on the list is [`super::Constraint::ListEntry`].
    async fn insert(&mut self, entry: &ListEntry) -> Result<(), StoreError>;

    /// Takes an entry from a list. Answers whether it was there.
    async fn delete(&mut self, list: &ListKey, entry: &EntryName) -> Result<bool, StoreError>;

    /// Deletes every list of a level.
    async fn delete_all(&mut self, organization_id: OrganizationId, level: &ListLevel) -> Result<(), StoreError>;
}
