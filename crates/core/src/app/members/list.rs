//! Lookup of members.

use crate::app::App;
use crate::model::{Caller, Member, MemberId, Page, PageRequest, Permission};
use crate::ports::MemberQuery;
use crate::rules::access;
use crate::{Error, Resource};

/// Lists the members of the organization, invited ones included. Every role may list them.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &Caller, page: PageRequest) -> Result<Page<Member>, Error> {
    access::require(caller, Permission::MemberRead)?;
    let query = MemberQuery { organization_id: caller.organization.organization_id, page };
    Ok(app.store.list_members(&query).await?)
}

/// Returns one member.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn get(app: &App, caller: &Caller, member_id: MemberId) -> Result<Member, Error> {
    access::require(caller, Permission::MemberRead)?;
    let found = app.store.member(caller.organization.organization_id, member_id).await?;
    found.ok_or_else(|| Error::not_found(Resource::Member, member_id))
}
