//! Change of a plan by the operator.

use crate::Error;
use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::model::{AuditAction, Organization, OrganizationId, Plan};

/// Sets the plan of an organization. Its caps apply at once.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn change_plan(app: &App, organization_id: OrganizationId, plan: Plan) -> Result<Organization, Error> {
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let changed = Organization { plan, updated_at: app.clock.now(), ..organization.clone() };
    tx.accounts().update(&changed).await?;
    let change = AuditChange::updated(AuditAction::OrganizationUpdated, &organization, &changed);
    audit::record_by(app, tx.as_mut(), organization_id, audit::OPERATOR, change).await?;
    tx.commit().await?;
    Ok(changed)
}
