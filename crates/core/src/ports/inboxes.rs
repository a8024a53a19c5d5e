//! Inboxes and the directory of addresses.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Inbox, InboxId, OrganizationId, Page, PageRequest, PodId};

/// Where mail to an address goes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod.
    pub pod_id: PodId,
    /// The inbox.
    pub inbox_id: InboxId,
}

/// Why mail to an address is deferred.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntakeHold {
    /// The inbox is paused.
    Paused,
    /// Its organization is suspended, for this reason.
    Suspended(String),
}

/// The inbox of an address, and whether it takes mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipientRoute {
    /// The inbox.
    pub destination: Destination,
    /// Why mail to it is deferred; `None` where it is taken.
    pub hold: Option<IntakeHold>,
}

impl From<Destination> for RecipientRoute {
    fn from(destination: Destination) -> Self {
        Self { destination, hold: None }
    }
}

/// Which inboxes to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only those of this pod.
    pub pod_id: Option<PodId>,
    /// Only this one.
    pub inbox_id: Option<InboxId>,
    /// Only those among these.
    pub among: Option<BTreeSet<InboxId>>,
    /// Which page; ordered by the time of creation.
    pub page: PageRequest,
}

/// Questions about inboxes. Deleted ones are not there.
#[port]
pub trait InboxReads {
    /// One inbox.
    async fn inbox(&self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;

    /// A page of inboxes.
    async fn list_inboxes(&self, query: &InboxQuery) -> Result<Page<Inbox>, StoreError>;

    /// The live inboxes of addresses, of any organization, in the order of the addresses and `None` where there is none.
    /// An address reaches its inbox with and without a `+tag`; not where the nearest proven domain that it is on, or
    /// below, is another organization's or takes no mail. A name that was never an inbox reaches the catch-all of its
    /// domain, if that has one.
    async fn destinations(&self, addresses: &[EmailAddress]) -> Result<Vec<Option<RecipientRoute>>, StoreError>;
}

/// Changes of inboxes.
#[port]
pub trait InboxWrites: Send {
    /// How many live inboxes an organization has. Exact under the organization's lock.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// The inbox that a `client_id` made, deleted or not, and whether it lives.
    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Inbox, bool)>, StoreError>;

    /// Stores a new inbox and claims its address for ever. A taken one is [`super::Constraint::Address`].
    async fn insert(&mut self, inbox: &Inbox) -> Result<(), StoreError>;

    /// Reads a live inbox and locks it.
    async fn lock(&mut self, organization_id: OrganizationId, inbox_id: &InboxId) -> Result<Option<Inbox>, StoreError>;

    /// Reads a live inbox and locks it against everyone, units of work that store its mail included: they end first, and
    /// see what this one changes.
    async fn lock_exclusive(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
    ) -> Result<Option<Inbox>, StoreError>;

    /// Locks shared those of these inboxes that live and are not paused, and returns them: as [`Self::hold`].
    async fn lock_sending(&mut self, inboxes: &[Destination]) -> Result<Vec<Destination>, StoreError>;

    /// Reads which of these inboxes still live, and keeps them from being deleted until the unit of work ends.
    /// Others may hold on to them at the same time.
    async fn hold(&mut self, inboxes: &[Destination]) -> Result<Vec<Destination>, StoreError>;

    /// Stores an inbox's new display name, metadata, pause and time of change.
    async fn update(&mut self, inbox: &Inbox) -> Result<(), StoreError>;

    /// Deletes an inbox: it is gone at once for everyone, its usage is freed, its address stays claimed.
    async fn delete(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Removes up to `limit` messages of deleted inboxes, with all that belongs to them. Answers how many it removed.
    async fn purge_deleted(&mut self, limit: u32) -> Result<u64, StoreError>;
}
