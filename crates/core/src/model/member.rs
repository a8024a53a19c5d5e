//! Members of an organization and their roles.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use inboxd_mail::{EmailAddress, canonical_local};
use time::OffsetDateTime;

use super::{Actor, InboxId, MemberId, Organization, OrganizationId, Reach};

/// Role of a member (`service.md`, section 5, rule 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// All permissions; one member per organization.
    Owner,
    /// All permissions, including those on members.
    Admin,
    /// Read, reply, draft and label mail in the member's inboxes.
    Member,
}

impl Role {
    /// All roles, the most powerful first.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Admin, Self::Member];

    /// Returns the name in the API and storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| "the roles are owner, admin and member".to_owned())
    }
}

/// A member of an organization, or an invited one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Id of the member in the organization.
    pub member_id: MemberId,
    /// Address for sign-ins.
    pub email: EmailAddress,
    /// Human-readable name.
    pub name: String,
    /// Role, which decides the permissions.
    pub role: Role,
    /// Inboxes of a limited member; empty is no limit. The value is stored for owner and admins too, without effect.
    pub inbox_ids: BTreeSet<InboxId>,
    /// The caller's idempotency key of the invitation.
    pub client_id: Option<String>,
    /// Time of the first sign-in; `None` before it.
    pub joined_at: Option<OffsetDateTime>,
    /// Time of the invitation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl Member {
    /// Returns whether the member has signed in.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.joined_at.is_some()
    }

    /// Returns the scope of the member. Owner and admins have no limit.
    #[must_use]
    pub fn reach(&self) -> Reach {
        if self.role == Role::Member && !self.inbox_ids.is_empty() {
            Reach::Inboxes(self.inbox_ids.clone())
        } else {
            Reach::Organization
        }
    }

    /// Returns the author recorded for the member's actions.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor::Member {
            member_id: self.member_id,
            name: self.name.clone(),
            email: self.email.to_string(),
            connection_id: None,
        }
    }

    /// Returns the default name: the local part of the address.
    #[must_use]
    pub fn name_of(email: &EmailAddress) -> String {
        canonical_local(email.local()).trim_matches('"').to_owned()
    }
}

/// A member as the author of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingMember {
    /// Id of the member.
    pub member_id: MemberId,
    /// Address of the member.
    pub email: EmailAddress,
    /// Role of the member.
    pub role: Role,
}

/// Membership of an address in one organization, or an invitation to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The organization.
    pub organization: Organization,
    /// The member in that organization.
    pub member: Member,
    /// Time at which a key of the member was last created or used, or a connection last used.
    pub used_at: Option<OffsetDateTime>,
}

impl Membership {
    /// Returns whether a mailed code proved control of the mailbox. Sign-ups and invitations can name any address.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.member.is_active() && (self.member.role != Role::Owner || self.organization.is_verified())
    }
}
