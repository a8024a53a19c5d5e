//! Overview of an organization with its usage.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, OrganizationOverview, Permission};
use crate::rules::access;

/// Returns the caller's organization with its counts and caps.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn overview(app: &App, caller: &Caller) -> Result<OrganizationOverview, Error> {
    access::require(caller, Permission::OrganizationRead)?;
    let organization_id = caller.organization.organization_id;
    app.store.overview(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))
}
