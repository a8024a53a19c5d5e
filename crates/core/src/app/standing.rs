//! Who asks, as they are when it is done: since their key was read they may have been removed, or given another role.

use crate::model::{ActingMember, Caller, Member, MemberId};
use crate::ports::Tx;
use crate::{Error, Resource};

/// Returns the caller as they are now, and they stay so until the unit of work ends: a person with their present role, the
/// holder of an organization's key with what the key now holds.
///
/// # Errors
/// [`Error::UnknownApiKey`] for a person who was removed, and for a key that was revoked.
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

/// The caller as they are now, and the member whom they mean, who is locked. Of two people the one with the lower id comes
/// first, so that two who change each other wait in one order.
///
/// # Errors
/// As [`present`], and [`Error::NotFound`] for the member.
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

/// The caller with the role, reach and name that they have now. The map of their key stays.
fn as_now(caller: &Caller, member: &Member) -> Caller {
    let Member { member_id, email, role, .. } = member.clone();
    Caller {
        reach: member.reach(),
        actor: member.actor(),
        member: Some(ActingMember { member_id, email, role }),
        ..caller.clone()
    }
}
