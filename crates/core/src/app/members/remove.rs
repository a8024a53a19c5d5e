//! Removal of a member.

use std::collections::BTreeSet;

use crate::Error;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, standing};
use crate::model::{AuditAction, Caller, MemberId, Role};
use crate::rules::access;

/// Removes a member or withdraws an invitation.
///
/// All keys of the member are revoked at once, and the assigned threads are unassigned. Every member except the owner
/// may also remove itself.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::NotFound`],
/// [`Error::OwnerProtected`]; [`Error::UnknownApiKey`] for a caller that was removed meanwhile.
pub async fn remove(app: &App, caller: &Caller, member_id: MemberId) -> Result<(), Error> {
    access::require_removal(caller, member_id)?;
    retried(is_contention, || remove_once(app, caller, member_id)).await
}

async fn remove_once(app: &App, caller: &Caller, member_id: MemberId) -> Result<(), Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    let (caller, member) = standing::lock(app, tx.as_mut(), caller, member_id).await?;
    access::require_removal(&caller, member_id)?;
    if member.role == Role::Owner {
        return Err(Error::OwnerProtected);
    }
    let now = app.clock.now();
    let revoked = tx.members().remove(&member, now).await?;
    // No thread stays assigned to a member that cannot open the inbox.
    tx.threads().unassign(organization_id, &member.actor().id(), &BTreeSet::new(), now).await?;
    let change = AuditChange::deleted(AuditAction::MemberDeleted, &member).with_revoked(&revoked);
    audit::record(app, tx.as_mut(), &caller, change).await?;
    Ok(tx.commit().await?)
}
