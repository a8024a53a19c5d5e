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

/// Where somebody lands who signs in: in the organization that they ask for, or else the one that the address owns, or
/// else the one used most recently (`service.md`, section 4). Where none was ever used, the newest invitation.
#[must_use]
pub fn landing(memberships: &[Membership], asked: Option<OrganizationId>) -> Option<&Membership> {
    if let Some(asked) = asked {
        return memberships.iter().find(|membership| membership.organization.organization_id == asked);
    }
    let owned = memberships.iter().find(|membership| membership.member.role == Role::Owner);
    owned.or_else(|| memberships.iter().max_by_key(|membership| (membership.used_at, membership.member.created_at)))
}
