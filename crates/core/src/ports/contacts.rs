//! Contacts.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Contact, ContactDecision, ContactKey, InboxId, OrganizationId, Page, PageRequest, PodId};
use crate::rules::trust::KnownPerson;

/// Filter and page of the contacts of an inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The page, ordered by creation; the address is the id.
    pub page: PageRequest,
}

/// People and domains that the senders of an organization may imitate. Storage bounds them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acquaintances {
    /// Members, and addresses that were written to or that a person trusts, the newest ones.
    pub people: Vec<KnownPerson>,
    /// Verified domains of the organization, with the pod that owns one.
    pub domains: Vec<(String, Option<PodId>)>,
}

/// Reads of contacts.
#[port]
pub trait ContactReads {
    /// Returns a page of contacts.
    async fn list_contacts(&self, query: &ContactQuery) -> Result<Page<Contact>, StoreError>;

    /// Returns a contact.
    async fn contact(&self, key: &ContactKey) -> Result<Option<Contact>, StoreError>;
}

/// Writes of contacts. New mail counts by itself, with the commit.
#[port]
pub trait ContactWrites: Send {
    /// Locks a contact and returns it.
    async fn lock(&mut self, key: &ContactKey) -> Result<Option<Contact>, StoreError>;

    /// Stores the decision about a contact and returns the contact; `None` if it does not exist.
    async fn decide(
        &mut self,
        key: &ContactKey,
        decision: Option<ContactDecision>,
        at: OffsetDateTime,
    ) -> Result<Option<Contact>, StoreError>;

    /// Deletes a contact. Returns whether it existed.
    async fn delete(&mut self, key: &ContactKey) -> Result<bool, StoreError>;

    /// Deletes the oldest contacts of an inbox beyond the newest `limit`, at most four hundredths of it at once. Those
    /// with a decision stay.
    async fn trim(&mut self, organization_id: OrganizationId, inbox_id: &InboxId, limit: u64)
    -> Result<(), StoreError>;
}
