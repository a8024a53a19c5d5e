//! Members of organizations.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{ApiKeyId, ConnectionId, InboxId, Member, MemberId, Membership, OrganizationId, Page, PageRequest};

/// Maximum number of invitations read per address. Any organization can invite an address, so the number is unbounded.
pub const MAX_INVITATIONS_READ: u32 = 100;

/// Filter and page of a member list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The page, ordered by invitation time.
    pub page: PageRequest,
}

/// Credentials that the removal of a member revoked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevokedCredentials {
    /// Keys of the member.
    pub api_key_ids: Vec<ApiKeyId>,
    /// Connections of the member.
    pub connection_ids: Vec<ConnectionId>,
}

/// Reads of members. Invited members are included, removed members are absent.
#[port]
pub trait MemberReads {
    /// Returns a member.
    async fn member(&self, organization_id: OrganizationId, member_id: MemberId) -> Result<Option<Member>, StoreError>;

    /// Returns a page of members.
    async fn list_members(&self, query: &MemberQuery) -> Result<Page<Member>, StoreError>;

    /// Returns all memberships of an address and its newest [`MAX_INVITATIONS_READ`] invitations, in any organization,
    /// ordered by organization.
    async fn memberships(&self, email: &EmailAddress) -> Result<Vec<Membership>, StoreError>;

    /// Returns the memberships of each address, in the same order. An unreadable result is `None` and does not fail the
    /// others.
    async fn memberships_of(&self, emails: &[EmailAddress]) -> Result<Vec<Option<Vec<Membership>>>, StoreError>;
}

/// Writes of members.
#[port]
pub trait MemberWrites: Send {
    /// Stores a new member. A second member with the same address violates [`super::Constraint::MemberEmail`].
    async fn insert(&mut self, member: &Member) -> Result<(), StoreError>;

    /// Returns the number of members of an organization, owner and invitations included. Exact under the lock of the
    /// organization.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// Returns the member invited with a `client_id`, removed or not, and whether the member is live.
    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Member, bool)>, StoreError>;

    /// Returns all memberships of an address and its newest [`MAX_INVITATIONS_READ`] invitations, ordered by organization.
    /// Always includes the membership in `asked`.
    async fn of_address(
        &mut self,
        email: &EmailAddress,
        asked: Option<OrganizationId>,
    ) -> Result<Vec<Membership>, StoreError>;

    /// Returns whether this inbox is the mailbox of a member, with or without a `+tag`. Only members with a proven
    /// mailbox count ([`Membership::is_proven`]).
    async fn reads(&mut self, inbox_id: &InboxId) -> Result<bool, StoreError>;

    /// Locks and returns a member. The lock prevents a new key for a member during removal.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
    ) -> Result<Option<Member>, StoreError>;

    /// Returns a member under a shared lock: no other transaction removes or changes the member until the unit of work
    /// ends.
    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
    ) -> Result<Option<Member>, StoreError>;

    /// Stores the name, role, inboxes and modification time of a member.
    async fn update(&mut self, member: &Member) -> Result<(), StoreError>;

    /// Removes a deleted inbox from every member limited to several inboxes. The last inbox of a member stays, because
    /// a member without inboxes has access to all of them.
    async fn leave_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Converts all invitations of an address to memberships, and returns these.
    async fn join(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<Vec<Member>, StoreError>;

    /// Removes a member, and revokes and returns the member's connections and keys. The address can be invited again.
    async fn remove(&mut self, member: &Member, at: OffsetDateTime) -> Result<RevokedCredentials, StoreError>;
}
