//! The people of an organization.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use inboxd_mail::EmailAddress;
use time::OffsetDateTime;

use super::{Actor, InboxId, MemberId, Organization, OrganizationId, Reach};

/// What a person may do (`service.md`, section 5, rule 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Everything; one an organization.
    Owner,
    /// Everything, people included.
    Admin,
    /// Read, reply, draft and label mail in their inboxes.
    Member,
}

impl Role {
    /// Every role, the mightiest first.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Admin, Self::Member];

    /// The name on the wire and in storage.
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

/// A person who belongs to an organization, or is invited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Their id there.
    pub member_id: MemberId,
    /// Their address, by which they sign in.
    pub email: EmailAddress,
    /// Their name, for people.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The inboxes that a member is limited to; empty is none. It is kept, and has no effect, for owner and admins.
    pub inbox_ids: BTreeSet<InboxId>,
    /// The caller's idempotency key of the invitation.
    pub client_id: Option<String>,
    /// When they first signed in; `None` while they are only invited.
    pub joined_at: Option<OffsetDateTime>,
    /// When they were invited.
    pub created_at: OffsetDateTime,
    /// When this last changed.
    pub updated_at: OffsetDateTime,
}

impl Member {
    /// Whether the invitation has become a membership.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.joined_at.is_some()
    }

    /// How far they reach. Owner and admins always see every inbox.
    #[must_use]
    pub fn reach(&self) -> Reach {
        if self.role == Role::Member && !self.inbox_ids.is_empty() {
            Reach::Inboxes(self.inbox_ids.clone())
        } else {
            Reach::Organization
        }
    }

    /// Whom their acts are recorded under.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor::Member { member_id: self.member_id, name: self.name.clone(), email: self.email.to_string() }
    }

    /// The name of somebody who gave none: what stands before the `@`.
    #[must_use]
    pub fn name_of(email: &EmailAddress) -> String {
        email.local().trim_matches('"').to_owned()
    }
}

/// A person as they act in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingMember {
    /// Their id.
    pub member_id: MemberId,
    /// Their address.
    pub email: EmailAddress,
    /// What they may do.
    pub role: Role,
}

/// A person in one of the organizations that their address belongs to, or is invited to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The organization.
    pub organization: Organization,
    /// The person there.
    pub member: Member,
    /// When one of their keys there was last made or used.
    pub used_at: Option<OffsetDateTime>,
}

impl Membership {
    /// Whether the person showed that the mailbox is theirs, by a code in it: anybody can name any address who invites
    /// somebody or signs up.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.member.is_active() && (self.member.role != Role::Owner || self.organization.is_verified())
    }
}
