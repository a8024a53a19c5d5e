//! Removal of an organization by the operator.

use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, legal_holds};
use crate::model::OrganizationId;
use crate::ports::AddressClaims;

/// Removes an organization.
///
/// Its keys stop working at once, its queued mail is not sent, and its owner address becomes free. The addresses of
/// its inboxes stay claimed.
///
/// # Errors
/// [`Error::NotFound`], [`Error::LegalHold`].
pub async fn remove(app: &App, organization_id: OrganizationId) -> Result<(), Error> {
    retried(is_contention, || remove_once(app, organization_id)).await
}

async fn remove_once(app: &App, organization_id: OrganizationId) -> Result<(), Error> {
    let mut tx = app.store.begin().await?;
    tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    legal_holds::require_removable(tx.as_mut(), organization_id).await?;
    tx.accounts().remove(organization_id, AddressClaims::Retained, app.clock.now()).await?;
    tx.commit().await?;
    Ok(())
}
