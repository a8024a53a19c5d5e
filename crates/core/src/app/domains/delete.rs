//! Deletion of a domain.

use super::find::lock;
use crate::app::audit::{self, AuditChange};
use crate::app::{App, scope};
use crate::model::permissions::DomainDelete;
use crate::model::{AuditAction, DomainId};
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Deletes a domain and its key.
///
/// A domain with live inboxes is refused, since nothing could authenticate their mail afterwards.
///
/// # Errors
/// [`Error::NotFound`], [`Error::CannotDelete`].
pub async fn delete(app: &App, caller: &AuthorizedCaller<DomainDelete>, domain_id: DomainId) -> Result<(), Error> {
    scope::resolve(app, caller).await?;
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    // The creation of an inbox holds this lock too, so none appears between the count and the deletion.
    tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let domain = lock(tx.as_mut(), caller, domain_id).await?;
    let inboxes = tx.domains().count_inboxes(&domain).await?;
    if inboxes > 0 {
        let used_by = format!("{inboxes} of its inboxes are live");
        return Err(Error::CannotDelete { resource: Resource::Domain, name: domain.name.to_string(), used_by });
    }
    tx.domains().delete(&domain, app.clock.now()).await?;
    audit::record(app, tx.as_mut(), caller, AuditChange::deleted(AuditAction::DomainDeleted, &domain)).await?;
    let _invalidation = app.waiting.recipients.invalidate_on_drop();
    Ok(tx.commit().await?)
}
