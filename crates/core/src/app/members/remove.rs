//! Removing somebody.

use std::collections::BTreeSet;

use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::{Caller, MemberId, Permission, Role};
use crate::rules::access;
use crate::{Error, Resource};

/// Removes a member, or takes an invitation back. Every key they held is revoked at once, and every thread that was theirs
/// is nobody's. Anyone can remove themselves, but for the owner.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::NotFound`], [`Error::OwnerProtected`].
pub async fn remove(app: &App, caller: &Caller, member_id: MemberId) -> Result<(), Error> {
    if caller.member.as_ref().is_none_or(|member| member.member_id != member_id) {
        access::require(caller, Permission::MemberDelete)?;
    }
    retried(is_contention, || remove_once(app, caller, member_id)).await
}

async fn remove_once(app: &App, caller: &Caller, member_id: MemberId) -> Result<(), Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let found = tx.members().lock(organization_id, member_id).await?;
    let member = found.ok_or_else(|| Error::not_found(Resource::Member, member_id))?;
    if member.role == Role::Owner {
        return Err(Error::OwnerProtected);
    }
    let now = app.clock.now();
    tx.members().remove(&member, now).await?;
    // Mail is never assigned to someone who cannot open the inbox.
    tx.threads().unassign(organization_id, &member.actor().id(), &BTreeSet::new(), now).await?;
    Ok(tx.commit().await?)
}
