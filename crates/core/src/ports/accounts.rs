//! Organizations, with their default pods and sign-up codes.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Organization, OrganizationId, OrganizationOverview, Pod, VerificationCode};

/// Questions about organizations.
#[port]
pub trait AccountReads {
    /// The organization that an address owns.
    async fn organization_of_owner(&self, email: &EmailAddress) -> Result<Option<Organization>, StoreError>;

    /// An organization with what it uses.
    async fn overview(&self, organization_id: OrganizationId) -> Result<Option<OrganizationOverview>, StoreError>;

    /// Every organization, by id, after the one named; for operators.
    async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>, StoreError>;
}

/// The fate of the addresses of a removed organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClaims {
    /// Each can be minted again at once.
    Released,
    /// None can be minted again, until an operator releases it.
    Retained,
}

/// Changes of organizations.
#[port]
pub trait AccountWrites: Send {
    /// Stores a new organization. A second one of the same owner is [`super::Constraint::OwnerEmail`].
    async fn insert(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Reads an organization and locks it until the unit of work ends: caps are checked under this lock.
    async fn lock(&mut self, organization_id: OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// Stores an organization's new plan, verification, suspension and time of change.
    async fn update(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Stores a new pod. A second one of a `client_id` is [`super::Constraint::PodClientId`].
    async fn insert_pod(&mut self, pod: &Pod) -> Result<(), StoreError>;

    /// Stores a code in place of the organization's older one.
    async fn put_code(&mut self, code: &VerificationCode) -> Result<(), StoreError>;

    /// Reads the organization's code and locks it.
    async fn lock_code(&mut self, organization_id: OrganizationId) -> Result<Option<VerificationCode>, StoreError>;

    /// Forgets the organization's code.
    async fn delete_code(&mut self, organization_id: OrganizationId) -> Result<(), StoreError>;

    /// Locks an organization that signed up before this, was never verified and pays for nothing. One that another unit of
    /// work holds is passed over.
    async fn lock_unconfirmed(&mut self, before: OffsetDateTime) -> Result<Option<OrganizationId>, StoreError>;

    /// Removes a locked organization: no key, sign-in or mail reaches it any more, its queued mail is deleted, and its owner
    /// address is free at once. The rest of its rows goes with [`Self::purge_removed`].
    async fn remove(
        &mut self,
        organization_id: OrganizationId,
        claims: AddressClaims,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes up to `limit` rows of a removed organization whose inboxes are empty. Returns fewer than `limit` where no
    /// organization is left to purge.
    async fn purge_removed(&mut self, limit: u32) -> Result<u64, StoreError>;
}
