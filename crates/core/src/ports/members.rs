//! The people of organizations.

use inboxd_mail::EmailAddress;
use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{InboxId, Member, MemberId, Membership, OrganizationId, Page, PageRequest};

/// How many invitations of one address are looked at: anybody may invite it.
pub const MOST_INVITATIONS: u32 = 100;

/// Which members to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberQuery {
    /// Of which organization.
    pub organization_id: OrganizationId,
    /// Which page; ordered by the time of invitation.
    pub page: PageRequest,
}

/// Questions about members. Removed ones are not there; invited ones are.
#[port]
pub trait MemberReads {
    /// One member.
    async fn member(&self, organization_id: OrganizationId, member_id: MemberId) -> Result<Option<Member>, StoreError>;

    /// A page of members.
    async fn list_members(&self, query: &MemberQuery) -> Result<Page<Member>, StoreError>;

    /// Everything that an address belongs to, in any organization, and its newest [`MOST_INVITATIONS`], by organization.
    async fn memberships(&self, email: &EmailAddress) -> Result<Vec<Membership>, StoreError>;

    /// The memberships of each of these addresses, in their order. `None` where they cannot be read, so that they keep no
    /// others from being read.
    async fn memberships_of(&self, emails: &[EmailAddress]) -> Result<Vec<Option<Vec<Membership>>>, StoreError>;
}

/// Changes of members.
#[port]
pub trait MemberWrites: Send {
    /// Stores a new member. A second one of the same address is [`super::Constraint::MemberEmail`].
    async fn insert(&mut self, member: &Member) -> Result<(), StoreError>;

    /// How many members an organization has, owner and invited ones included. Exact under the organization's lock.
    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;

    /// The member that a `client_id` invited, removed or not, and whether they are still there.
    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Member, bool)>, StoreError>;

    /// Everything that an address belongs to, in any organization, and its newest [`MOST_INVITATIONS`], by organization;
    /// what it is in `asked` in any case.
    async fn of_address(
        &mut self,
        email: &EmailAddress,
        asked: Option<OrganizationId>,
    ) -> Result<Vec<Membership>, StoreError>;

    /// Whether mail to this inbox is mail to somebody who belongs to an organization, with or without a `+tag`, and who
    /// has shown that the mailbox is theirs ([`Membership::is_proven`]).
    async fn reads(&mut self, inbox_id: &InboxId) -> Result<bool, StoreError>;

    /// Reads a member and locks them: no key is made for a member who is being removed.
    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
    ) -> Result<Option<Member>, StoreError>;

    /// Reads a member and holds them as they are until the unit of work ends: nobody removes or changes them meanwhile.
    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
    ) -> Result<Option<Member>, StoreError>;

    /// Stores a member's new name, role, inboxes and time of change.
    async fn update(&mut self, member: &Member) -> Result<(), StoreError>;

    /// Takes a deleted inbox from every member who is limited to others besides. Their last one stays, for somebody
    /// limited to nothing is not limited at all.
    async fn leave_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Turns every invitation of an address into a membership.
    async fn join(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;

    /// Removes a member and revokes every key they held. The address may be invited anew.
    async fn remove(&mut self, member: &Member, at: OffsetDateTime) -> Result<(), StoreError>;
}
