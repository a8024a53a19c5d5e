//! Switch to another organization of a member.

use super::sign_in_key::{self, Bounds, SignedIn};
use crate::Error;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, row_limits};
use crate::model::{Caller, OrganizationId};

/// Creates a key in another organization of the calling member, without another code.
///
/// Only the key of a sign-in may switch, since any other key acts for its organization. The new key has the same
/// restrictions.
///
/// # Errors
/// [`Error::NotAPerson`], [`Error::NotForConnections`], [`Error::NotFound`] for an organization that the member has not
/// joined, [`Error::RowLimitReached`].
pub async fn switch(app: &App, caller: &Caller, organization_id: &str) -> Result<SignedIn, Error> {
    retried(is_contention, || switch_once(app, caller, organization_id)).await
}

async fn switch_once(app: &App, caller: &Caller, organization_id: &str) -> Result<SignedIn, Error> {
    if caller.connection.is_some() {
        return Err(Error::NotForConnections);
    }
    let person = caller.member.as_ref().ok_or(Error::NotAPerson)?;
    let not_found = || Error::no_such_organization(organization_id);
    let organization_id: OrganizationId = organization_id.parse().map_err(|_| not_found())?;
    let memberships = app.store.memberships(&person.email).await?;
    let there = memberships.into_iter().find(|membership| membership.member.organization_id == organization_id);
    let there = there.filter(|membership| membership.member.is_active()).ok_or_else(not_found)?;

    let mut tx = app.store.begin().await?;
    row_limits::lock_organization(tx.as_mut(), organization_id).await?;
    let member = tx.members().lock(organization_id, there.member.member_id).await?.ok_or_else(not_found)?;
    let Caller { permissions, expires_at, client_address, .. } = caller.clone();
    let bounds = Bounds { permissions, expires_at, client_address };
    row_limits::require_api_key(app, tx.as_mut(), organization_id).await?;
    let now = app.clock.now();
    let signed_in = sign_in_key::make(app, tx.as_mut(), &member, bounds, now).await?;
    row_limits::count_creation(app, tx.as_mut(), organization_id, now).await?;
    tx.commit().await?;
    Ok(signed_in)
}
