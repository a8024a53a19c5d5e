//! Change of a member's name, role and inboxes.

use super::fields;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, standing};
use crate::model::{AuditAction, Caller, InboxId, Member, MemberId, Permission, Reach, Role};
use crate::rules::access;
use crate::{Error, FieldError};

/// Changes to a member; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberChange {
    /// The display name.
    pub name: Option<String>,
    /// `admin` or `member`.
    pub role: Option<String>,
    /// The inboxes that limit the member; empty for all inboxes.
    pub inbox_ids: Option<Vec<InboxId>>,
}

/// Changes a member.
///
/// The next request of the member has the new rights. Threads beyond the new rights are unassigned.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::Invalid`],
/// [`Error::NotFound`], [`Error::OwnerProtected`], [`Error::RoleEscalation`] for a role beyond the caller's rights;
/// [`Error::UnknownApiKey`] for a caller that was removed meanwhile.
pub async fn update(app: &App, caller: &Caller, member_id: MemberId, change: MemberChange) -> Result<Member, Error> {
    access::require(caller, Permission::MemberUpdate)?;
    Error::unless_empty(problems_of_change(&change))?;
    let role = change.role.as_deref().map(fields::role).transpose();
    let role = role.map_err(|message| Error::invalid("role", message))?;
    retried(is_contention, || update_once(app, caller, member_id, role, change.clone())).await
}

async fn update_once(
    app: &App,
    caller: &Caller,
    member_id: MemberId,
    role: Option<Role>,
    change: MemberChange,
) -> Result<Member, Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    let inbox_ids = match change.inbox_ids {
        Some(inbox_ids) => Some(fields::inboxes(tx.as_mut(), &caller.organization, inbox_ids).await?),
        None => None,
    };
    let (caller, member) = standing::lock(app, tx.as_mut(), caller, member_id).await?;
    access::require(&caller, Permission::MemberUpdate)?;
    if member.role == Role::Owner && role.is_some() {
        return Err(Error::OwnerProtected);
    }
    // A name grants no right, unlike a role and inboxes.
    if role.is_some() || inbox_ids.is_some() {
        access::require_grantable(&caller, role.unwrap_or(member.role))?;
    }
    let before = member.clone();
    let member = Member {
        name: change.name.unwrap_or(member.name),
        role: role.unwrap_or(member.role),
        inbox_ids: inbox_ids.unwrap_or(member.inbox_ids),
        updated_at: app.clock.now(),
        ..member
    };
    tx.members().update(&member).await?;
    // No thread stays assigned to a member that cannot open the inbox.
    if let Reach::Inboxes(theirs) = member.reach() {
        tx.threads().unassign(organization_id, &member.actor().id(), &theirs, member.updated_at).await?;
    }
    let change = AuditChange::updated(AuditAction::MemberUpdated, &before, &member);
    audit::record(app, tx.as_mut(), &caller, change).await?;
    tx.commit().await?;
    Ok(member)
}

/// Returns every problem that a change has by itself.
#[must_use]
pub fn problems_of_change(change: &MemberChange) -> Vec<FieldError> {
    let checks = [
        ("role", change.role.as_deref().map_or(Ok(()), |role| fields::role(role).map(drop))),
        ("name", fields::name(change.name.as_deref())),
        ("inbox_ids", fields::inbox_count(change.inbox_ids.as_deref().unwrap_or_default())),
    ];
    checks.into_iter().filter_map(|(path, checked)| Some(FieldError::new(path, checked.err()?))).collect()
}
