//! Change of the quarantine of an organization, and the condition for those of pods and inboxes.

use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, account, standing};
use crate::model::permissions::OrganizationUpdate;
use crate::model::{AuditAction, Caller, Organization, OrganizationOverview, Permission, QuarantineMode};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, security};

/// Sets the quarantine of the caller's organization, or leaves it without a mode. It applies to mail that is received
/// from then on.
///
/// A less strict mode also requires `agent_armor_release`: it lets through what a release would let through.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::RowLimitReached`].
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<OrganizationUpdate>,
    mode: Option<QuarantineMode>,
) -> Result<OrganizationOverview, Error> {
    if let Some(mode) = mode {
        retried(is_contention, || change(app, caller, mode)).await?;
    }
    account::visible_overview(app, caller).await
}

async fn change(app: &App, caller: &AuthorizedCaller<OrganizationUpdate>, mode: QuarantineMode) -> Result<(), Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    if mode == organization.quarantine {
        return Ok(());
    }
    let caller = standing::renewed(app, tx.as_mut(), caller).await?;
    if mode < organization.quarantine {
        access::require(&caller, Permission::AgentArmorRelease)?;
    }
    let changed = Organization { quarantine: mode, updated_at: app.clock.now(), ..organization.clone() };
    tx.accounts().update(&changed).await?;
    let change = AuditChange::updated(AuditAction::OrganizationUpdated, &organization, &changed);
    audit::record(app, tx.as_mut(), &caller, change).await?;
    Ok(tx.commit().await?)
}

/// Checks a change of the own quarantine of a pod or inbox. The unit of work of the change has reloaded the caller.
///
/// # Errors
/// [`Error::MissingPermission`] and [`Error::RoleNotAllowed`] for a less strict mode without `agent_armor_release`.
pub(in crate::app) fn require_change(
    caller: &Caller,
    before: Option<QuarantineMode>,
    after: Option<QuarantineMode>,
) -> Result<(), Error> {
    if security::is_less_strict(before, after) {
        access::require(caller, Permission::AgentArmorRelease)
    } else {
        Ok(())
    }
}
