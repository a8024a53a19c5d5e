//! What a key is given, as its giver stands when it is given.

use crate::Error;
use crate::app::standing;
use crate::model::{Caller, Permission, Permissions, Reach};
use crate::ports::Tx;
use crate::rules::access;

/// The permissions that the caller gives to a key. A person is asked for as they are now and stays so until the unit of
/// work ends: a key that acts for the organization outlives whoever made it, so nobody makes or widens one while they are
/// removed or given a lesser role.
///
/// # Errors
/// [`Error::UnknownApiKey`] for somebody who was removed, [`Error::RoleNotAllowed`], [`Error::MissingPermission`], and
/// those of [`access::delegated`].
pub(super) async fn granted(
    tx: &mut dyn Tx,
    caller: &Caller,
    asked: Option<Permissions>,
    reach: &Reach,
) -> Result<Option<Permissions>, Error> {
    let caller = standing::present(tx, caller).await?;
    access::require(&caller, Permission::ApiKeyCreate)?;
    access::delegated(&caller, asked, reach)
}
