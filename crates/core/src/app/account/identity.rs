//! Who calls, and where else they belong.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Member, OrganizationId, Role};
use crate::rules::access;

/// Every organization that the caller's address belongs to, and their role there. A key that acts for the organization has
/// its owner's role where nothing restricts it, and the least of all roles where its scope or its permissions do.
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
