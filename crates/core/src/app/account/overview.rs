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
    visible_overview(app, caller).await
}

/// Returns the caller's organization, with the ids of the payment provider if the caller may see payments.
pub(in crate::app) async fn visible_overview(app: &App, caller: &Caller) -> Result<OrganizationOverview, Error> {
    let organization_id = caller.organization.organization_id;
    let found = app.store.overview(organization_id).await?;
    let mut overview = found.ok_or_else(|| Error::no_organization(organization_id))?;
    if access::require(caller, Permission::Billing).is_err() {
        overview.account.customer_id = None;
        overview.account.subscription_id = None;
    }
    Ok(overview)
}
