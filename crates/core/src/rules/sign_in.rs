//! Signing in: which digits are right, and where they lead.

use super::signing::SigningKey;
use crate::model::sign_in::SignInCode;
use crate::model::{Membership, OrganizationId, Role};

/// The six digits of a code. Of 2^64 values a remainder favours some codes by less than one part in 10^13.
#[must_use]
pub fn digits(key: &SigningKey, code: &SignInCode) -> String {
    let mac = key.mac("sign-in code", &[code.email.normalized().as_bytes(), &code.nonce]);
    let number = mac.iter().take(8).fold(0_u64, |number, octet| number << 8 | u64::from(*octet));
    format!("{:06}", number % 1_000_000)
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
