//! Sign-in: valid codes and the resulting membership.

use super::codes;
use super::signing::SigningKey;
use crate::model::sign_in::SignInCode;
use crate::model::{Membership, OrganizationId, Role};

/// Returns the six digits of a code.
#[must_use]
pub fn digits(key: &SigningKey, code: &SignInCode) -> String {
    codes::derive(&key.mac("sign-in code", &[code.email.normalized().as_bytes(), &code.nonce]))
}

/// Returns the membership that a sign-in leads to (`service.md`, section 4).
///
/// Anyone can sign up with any address and invite any address. The order is therefore: the requested organization,
/// proven ownership, the proven membership used last, unproven ownership, the newest invitation.
#[must_use]
pub fn choose_membership(memberships: &[Membership], requested: Option<OrganizationId>) -> Option<&Membership> {
    if let Some(requested) = requested {
        return memberships.iter().find(|membership| membership.organization.organization_id == requested);
    }
    let rank = |membership: &Membership| (membership.is_proven(), membership.member.role == Role::Owner);
    memberships.iter().max_by_key(|membership| (rank(membership), membership.used_at, membership.member.created_at))
}
