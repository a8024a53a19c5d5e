//! Organizations with their default pods and sign-up codes.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{Organization, OrganizationId, OrganizationOverview, Pod, SignUpInvitation, VerificationCode};

/// Reads of organizations.
#[port]
pub trait AccountReads {
    /// Returns the organization of an owner address.
    async fn organization_of_owner(&self, email: &EmailAddress) -> Result<Option<Organization>, StoreError>;

    /// Returns an organization with its usage.
    async fn overview(&self, organization_id: OrganizationId) -> Result<Option<OrganizationOverview>, StoreError>;

    /// Returns organizations after an id, ordered by id. Only operators use it.
    async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>, StoreError>;
}

/// Treatment of the addresses of a removed organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressClaims {
    /// Each address can be claimed again at once.
    Released,
    /// No address can be claimed again until an operator releases it.
    Retained,
}

/// Writes of organizations.
#[port]
pub trait AccountWrites: Send {
    /// Stores a new organization. A second one with the same owner violates [`super::Constraint::OwnerEmail`], unless the
    /// new one is verified and the other is not: anyone can sign up with any address.
    async fn insert(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Locks and returns an organization. Caps are checked under this lock.
    async fn lock(&mut self, organization_id: OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// Stores the owner address of an organization and the number of its changes. An address of another organization
    /// violates [`super::Constraint::OwnerEmail`].
    async fn set_owner(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Stores an invitation to sign up, and deletes expired ones.
    async fn add_invitation(&mut self, invitation: &SignUpInvitation) -> Result<(), StoreError>;

    /// Deletes the invitation with this hash, and returns whether it existed and had not expired.
    async fn use_invitation(&mut self, invitation_hash: &[u8; 32], now: OffsetDateTime) -> Result<bool, StoreError>;

    /// Stores the plan, verification, suspension, brake, quarantine and modification time of an organization.
    async fn update(&mut self, organization: &Organization) -> Result<(), StoreError>;

    /// Stores a new pod. A second one with the same `client_id` violates [`super::Constraint::PodClientId`].
    async fn insert_pod(&mut self, pod: &Pod) -> Result<(), StoreError>;

    /// Stores a code and replaces the previous code of the organization.
    async fn put_code(&mut self, code: &VerificationCode) -> Result<(), StoreError>;

    /// Locks and returns the code of the organization.
    async fn lock_code(&mut self, organization_id: OrganizationId) -> Result<Option<VerificationCode>, StoreError>;

    /// Deletes the code of the organization.
    async fn delete_code(&mut self, organization_id: OrganizationId) -> Result<(), StoreError>;

    /// Locks an unverified organization without a subscription that signed up before this time. Skips locked
    /// organizations.
    async fn lock_unconfirmed(&mut self, before: OffsetDateTime) -> Result<Option<OrganizationId>, StoreError>;

    /// Removes a locked organization. Its keys, connections, sign-ins and addresses stop working, its queued messages
    /// are deleted and its owner address is free at once. [`Self::purge_removed`] deletes the remaining rows.
    async fn remove(
        &mut self,
        organization_id: OrganizationId,
        claims: AddressClaims,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Deletes up to `limit` rows of a removed organization whose inboxes are empty. Returns fewer than `limit` when no
    /// organization remains to purge.
    async fn purge_removed(&mut self, limit: u32) -> Result<u64, StoreError>;
}
