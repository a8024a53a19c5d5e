//! Reload of the caller inside a unit of work.
//!
//! The caller may have been removed or changed since authentication.

use super::App;
use super::authenticate::within_connection;
use crate::model::{ActingMember, Caller, Member, MemberId, RequiredPermission};
use crate::ports::Tx;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Reloads an authorized caller, see [`present`], and checks scope and permission again.
///
/// # Errors
/// The errors of [`present`] and [`AuthorizedCaller::new`].
pub(super) async fn renewed<P: RequiredPermission>(
    app: &App,
    tx: &mut dyn Tx,
    caller: &AuthorizedCaller<P>,
) -> Result<AuthorizedCaller<P>, Error> {
    caller.renewed(present(app, tx, caller.original()).await?)
}

/// Reloads the caller under shared locks that last until the unit of work ends. A member gets the present role and
/// scope, an organization key its present permissions, and a connection its present bounds.
///
/// # Errors
/// [`Error::UnknownApiKey`] for a removed member, an ended connection or a revoked key.
pub(super) async fn present(app: &App, tx: &mut dyn Tx, caller: &Caller) -> Result<Caller, Error> {
    let Some(person) = &caller.member else {
        let Some(api_key_id) = caller.api_key_id else { return Ok(caller.clone()) };
        let held = tx.api_keys().hold(caller.organization.organization_id, api_key_id).await?;
        return Ok(Caller { permissions: held.ok_or(Error::UnknownApiKey)?.permissions, ..caller.clone() });
    };
    let held = tx.members().hold(caller.organization.organization_id, person.member_id).await?;
    within_present_connection(app, tx, as_now(caller, &held.ok_or(Error::UnknownApiKey)?)).await
}

/// Reloads the caller and locks the named member. The member with the lower id is locked first, so that two members who
/// change each other do not deadlock.
///
/// # Errors
/// The errors of [`present`]; [`Error::NotFound`] for the member.
pub(super) async fn lock(
    app: &App,
    tx: &mut dyn Tx,
    caller: &Caller,
    member_id: MemberId,
) -> Result<(Caller, Member), Error> {
    let organization_id = caller.organization.organization_id;
    let not_found = || Error::not_found(Resource::Member, member_id);
    let own = caller.member.as_ref().map(|person| person.member_id);
    let own = match own {
        Some(own) if own == member_id => {
            let member = tx.members().lock(organization_id, member_id).await?.ok_or(Error::UnknownApiKey)?;
            let caller = within_present_connection(app, tx, as_now(caller, &member)).await?;
            return Ok((caller, member));
        }
        Some(own) if own < member_id => {
            Some(tx.members().hold(organization_id, own).await?.ok_or(Error::UnknownApiKey)?)
        }
        _ => None,
    };
    let member = tx.members().lock(organization_id, member_id).await?.ok_or_else(not_found)?;
    let caller = match own {
        Some(own) => within_present_connection(app, tx, as_now(caller, &own)).await?,
        None => present(app, tx, caller).await?,
    };
    Ok((caller, member))
}

/// Returns the caller within the present bounds of their connection, under a shared lock.
async fn within_present_connection(app: &App, tx: &mut dyn Tx, caller: Caller) -> Result<Caller, Error> {
    let Some(bounds) = &caller.connection else { return Ok(caller) };
    let held = tx.connections().hold(caller.organization.organization_id, bounds.connection_id).await?;
    within_connection(caller, &held.ok_or(Error::UnknownApiKey)?, app.clock.now())
}

/// Returns the caller with the present role, scope and name of the member. The permissions of the key and the connection
/// stay.
fn as_now(caller: &Caller, member: &Member) -> Caller {
    let Member { member_id, email, role, .. } = member.clone();
    let connection_id = caller.connection.as_ref().map(|bounds| bounds.connection_id);
    Caller {
        reach: member.reach(),
        actor: member.actor().through(connection_id),
        member: Some(ActingMember { member_id, email, role }),
        ..caller.clone()
    }
}
