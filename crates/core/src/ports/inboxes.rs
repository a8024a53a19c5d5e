//! Inboxes and the directory of addresses.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Inbox, InboxId, OrganizationId, Page, PageRequest, PodId};
use crate::rules::inbox_search::InboxTerms;

/// The inbox of an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The pod.
    pub pod_id: PodId,
    /// The inbox.
    pub inbox_id: InboxId,
}

/// Reason to defer messages to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntakeHold {
    /// The inbox is paused.
    Paused,
    /// The organization is suspended, with the reason.
    Suspended(String),
}

/// The inbox of an address and its intake state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientRoute {
    /// The inbox.
    pub destination: Destination,
    /// The reason to defer messages; `None` if the inbox accepts them.
    pub hold: Option<IntakeHold>,
}

impl From<Destination> for RecipientRoute {
    fn from(destination: Destination) -> Self {
        Self { destination, hold: None }
    }
}

/// Filter and page of an inbox list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Only inboxes of this pod.
    pub pod_id: Option<PodId>,
    /// Only this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only these inboxes.
    pub among: Option<BTreeSet<InboxId>>,
    /// The page, ordered by creation time.
    pub page: PageRequest,
}

/// Search among the inboxes of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxSearch {
    /// The list and the page. The cursor of a page is one of a search.
    pub within: InboxQuery,
    /// The search text.
    pub terms: InboxTerms,
}

/// Reads of inboxes; deleted inboxes are absent.
#[port]
pub trait InboxReads {
    /// Returns an inbox.
    async fn inbox(&self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;

    /// Returns a page of inboxes.
    async fn list_inboxes(&self, query: &InboxQuery) -> Result<Page<Inbox>, StoreError>;

    /// Returns a page of the inboxes with a word that each search word begins: first the one with this address, then
    /// those whose address begins with the text, then the others, each by address.
    async fn search_inboxes(&self, search: &InboxSearch) -> Result<Page<Inbox>, StoreError>;

    /// Returns the live inbox of each address in any organization, in the same order; `None` if there is none. An
    /// address matches with and without a `+tag`. It has no inbox if the nearest verified domain at or above it belongs
    /// to another organization or accepts no messages. A name that was never an inbox resolves to the catch-all inbox
    /// of its domain, if any.
    async fn destinations(&self, addresses: &[EmailAddress]) -> Result<Vec<Option<RecipientRoute>>, StoreError>;
}

/// Writes of inboxes.
#[port]
pub trait InboxWrites: Send {
    /// Returns the number of live inboxes of an organization. Exact under the lock of the organization.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// Returns the inbox created with a `client_id`, deleted or not, and whether it is live.
    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Inbox, bool)>, StoreError>;

    /// Stores a new inbox and claims its address permanently. A claimed address violates
    /// [`super::Constraint::Address`].
    async fn insert(&mut self, inbox: &Inbox) -> Result<(), StoreError>;

    /// Locks and returns a live inbox.
    async fn lock(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;

    /// Locks a live inbox exclusively and returns it. Units of work that store messages in the inbox finish before the
    /// lock is granted; later ones see the changes of this one.
    async fn lock_exclusive(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<Option<Inbox>, StoreError>;

    /// Locks all live inboxes of an organization exclusively.
    async fn lock_all(&mut self, organization_id: OrganizationId) -> Result<(), StoreError>;

    /// Locks shared and returns those of these inboxes that are live and not paused, as [`Self::hold`].
    async fn lock_sending(&mut self, inboxes: &[Destination]) -> Result<Vec<Destination>, StoreError>;

    /// Returns the live inboxes among these under a shared lock, which prevents their deletion until the unit of work
    /// ends.
    async fn hold(&mut self, inboxes: &[Destination]) -> Result<Vec<Destination>, StoreError>;

    /// Stores the display name, metadata, pause, retention, own quarantine and modification time of an inbox. Its
    /// expiry is due at once.
    async fn update(&mut self, inbox: &Inbox) -> Result<(), StoreError>;

    /// Locks and returns an inbox with a retention whose expiry is due: the longest due one of the first such
    /// organization after `after`. Skips locked inboxes.
    async fn lock_expiring(
        &mut self,
        after: Option<OrganizationId>,
        now: OffsetDateTime,
    ) -> Result<Option<Inbox>, StoreError>;

    /// Makes the expiry of a locked inbox due at `until`.
    async fn postpone_expiry(&mut self, inbox: &Inbox, until: OffsetDateTime) -> Result<(), StoreError>;

    /// Deletes an inbox at once and frees its usage. Its address stays claimed.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes up to `limit` messages of deleted inboxes with their dependent rows. Returns the number of deleted
    /// messages.
    async fn purge_deleted(&mut self, limit: u32) -> Result<u64, StoreError>;
}
