//! Memberships of a caller.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Member, OrganizationId, Role};
use crate::rules::access;

/// Returns every organization of the caller's address with the role there.
///
/// A key without a member belongs to its organization alone. Its role is owner if no scope and no permissions
/// restrict it, and member otherwise.
///
/// # Errors
/// When storage fails.
pub async fn identity(app: &App, caller: &Caller) -> Result<Vec<(OrganizationId, Role)>, Error> {
    let Some(person) = &caller.member else {
        let role = if access::is_unrestricted(caller) { Role::Owner } else { Role::Member };
        return Ok(vec![(caller.organization.organization_id, role)]);
    };
    let memberships = app.store.memberships(&person.email).await?;
    let joined = memberships.into_iter().map(|membership| membership.member).filter(Member::is_active);
    Ok(joined.map(|member| (member.organization_id, member.role)).collect())
}
