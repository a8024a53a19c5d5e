//! Change of a plan by the operator.

use crate::Error;
use crate::app::App;
use crate::model::{Organization, OrganizationId, Plan};

/// Sets the plan of an organization. Its caps apply at once.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn change_plan(app: &App, organization_id: OrganizationId, plan: Plan) -> Result<Organization, Error> {
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let changed = Organization { plan, updated_at: app.clock.now(), ..organization };
    tx.accounts().update(&changed).await?;
    tx.commit().await?;
    Ok(changed)
}
