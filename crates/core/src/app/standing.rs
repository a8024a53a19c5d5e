//! Reload of the caller inside a unit of work.
//!
//! The caller may have been removed or changed since authentication.

use crate::model::{ActingMember, Caller, Member, MemberId};
use crate::ports::Tx;
use crate::{Error, Resource};

/// Reloads the caller under a shared lock that lasts until the unit of work ends. A member gets the present role and
/// scope, an organization key its present permissions.
///
/// # Errors
/// [`Error::UnknownApiKey`] for a removed member or a revoked key.
pub(super) async fn present(tx: &mut dyn Tx, caller: &Caller) -> Result<Caller, Error> {
    let Some(person) = &caller.member else {
        let Some(api_key_id) = caller.api_key_id else { return Ok(caller.clone()) };
        let held = tx.api_keys().hold(caller.organization.organization_id, api_key_id).await?;
        let permissions = held.ok_or(Error::UnknownApiKey)?.permissions;
        return Ok(Caller { permissions, ..caller.clone() });
    };
    let held = tx.members().hold(caller.organization.organization_id, person.member_id).await?;
    Ok(as_now(caller, &held.ok_or(Error::UnknownApiKey)?))
}

/// Reloads the caller and locks the named member. The member with the lower id is locked first, so that two members who
/// change each other do not deadlock.
///
/// # Errors
/// The errors of [`present`]; [`Error::NotFound`] for the member.
pub(super) async fn lock(tx: &mut dyn Tx, caller: &Caller, member_id: MemberId) -> Result<(Caller, Member), Error> {
    let organization_id = caller.organization.organization_id;
    let not_found = || Error::not_found(Resource::Member, member_id);
    match caller.member.as_ref().map(|person| person.member_id) {
        Some(own) if own == member_id => {
            let member = tx.members().lock(organization_id, member_id).await?.ok_or(Error::UnknownApiKey)?;
            Ok((as_now(caller, &member), member))
        }
        Some(own) if own < member_id => {
            let caller = present(tx, caller).await?;
            let member = tx.members().lock(organization_id, member_id).await?.ok_or_else(not_found)?;
            Ok((caller, member))
        }
        _ => {
            let member = tx.members().lock(organization_id, member_id).await?.ok_or_else(not_found)?;
            Ok((present(tx, caller).await?, member))
        }
    }
}

/// Returns the caller with the present role, scope and name of the member. The permissions of the key stay.
fn as_now(caller: &Caller, member: &Member) -> Caller {
    let Member { member_id, email, role, .. } = member.clone();
    Caller {
        reach: member.reach(),
        actor: member.actor(),
        member: Some(ActingMember { member_id, email, role }),
        ..caller.clone()
    }
}
