//! Changing what somebody is called and may do.

use super::fields::{self, Problems};
use crate::app::App;
use crate::model::{Caller, InboxId, Member, MemberId, Permission, Role};
use crate::rules::access;
use crate::{Error, Resource};

/// What to change; what is not named stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberChange {
    /// Their name.
    pub name: Option<String>,
    /// `admin` or `member`.
    pub role: Option<String>,
    /// The inboxes that they are limited to; none is all.
    pub inbox_ids: Option<Vec<InboxId>>,
}

/// Changes a member. Their next request meets the new rights.
///
/// # Errors
/// [`Error::RoleNotAllowed`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::NotFound`],
/// [`Error::OwnerProtected`].
pub async fn update(app: &App, caller: &Caller, member_id: MemberId, change: MemberChange) -> Result<Member, Error> {
    access::require_people(caller, Permission::MemberUpdate)?;
    let mut problems = Problems::default();
    let role = change.role.as_deref().and_then(|text| problems.note("role", fields::role(text)));
    problems.note("name", fields::name(change.name.as_deref()));
    problems.note("inbox_ids", fields::inbox_count(change.inbox_ids.as_deref().unwrap_or_default()));
    problems.refuse()?;

    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    let organization =
        tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let inbox_ids = match change.inbox_ids {
        Some(inbox_ids) => Some(fields::inboxes(tx.as_mut(), &organization, inbox_ids).await?),
        None => None,
    };
    let found = tx.members().lock(organization_id, member_id).await?;
    let member = found.ok_or_else(|| Error::not_found(Resource::Member, member_id))?;
    if member.role == Role::Owner && role.is_some() {
        return Err(Error::OwnerProtected);
    }
    let member = Member {
        name: change.name.unwrap_or(member.name),
        role: role.unwrap_or(member.role),
        inbox_ids: inbox_ids.unwrap_or(member.inbox_ids),
        updated_at: app.clock.now(),
        ..member
    };
    tx.members().update(&member).await?;
    tx.commit().await?;
    Ok(member)
}
