//! Signing in: which digits are right, and where they lead.

use super::codes;
use super::signing::SigningKey;
use crate::model::sign_in::SignInCode;
use crate::model::{Membership, OrganizationId, Role};

/// The six digits of a code.
#[must_use]
pub fn digits(key: &SigningKey, code: &SignInCode) -> String {
    codes::make(&key.mac("sign-in code", &[code.email.normalized().as_bytes(), &code.nonce]))
}

/// Returns the membership that a sign-in leads to (`service.md`, section 4).
///
/// The organization that the request names comes first. Then comes proven ownership, then the proven membership used last,
/// then an organization that names the address as its owner without proof, then the newest invitation: a stranger can sign
/// up with any address, and invite any.
#[must_use]
pub fn landing(memberships: &[Membership], asked: Option<OrganizationId>) -> Option<&Membership> {
    if let Some(asked) = asked {
        return memberships.iter().find(|membership| membership.organization.organization_id == asked);
    }
    let rank = |membership: &Membership| (membership.is_proven(), membership.member.role == Role::Owner);
    memberships.iter().max_by_key(|membership| (rank(membership), membership.used_at, membership.member.created_at))
}
