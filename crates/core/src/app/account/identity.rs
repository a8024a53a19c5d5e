//! Who calls, and where else they belong.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Member, OrganizationId, Role};

/// Every organization that the caller's address belongs to, and their role there. A key that acts for the organization has
/// its owner's role.
///
/// # Errors
/// When storage fails.
pub async fn identity(app: &App, caller: &Caller) -> Result<Vec<(OrganizationId, Role)>, Error> {
    let Some(person) = &caller.member else {
        return Ok(vec![(caller.organization.organization_id, Role::Owner)]);
    };
    let memberships = app.store.memberships(&person.email).await?;
    let joined = memberships.into_iter().map(|membership| membership.member).filter(Member::is_active);
    Ok(joined.map(|member| (member.organization_id, member.role)).collect())
}
