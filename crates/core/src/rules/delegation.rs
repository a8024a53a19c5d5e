//! Rights over API keys: who may change a key, and which permissions a key may hand on (`service.md`, section 5).

use super::access::{holds, is_within};
use crate::model::{ApiKey, Breadth, Caller, Permission, Permissions, Reach};
use crate::{Error, FieldError};

/// Permission names of other servers with this protocol that have no effect here (`wire.md`, section 3, API key).
const WITHOUT_EFFECT: [&str; 13] = [
    "account_update",
    "app_connect",
    "app_share_owner",
    "calendar_event_create",
    "calendar_event_delete",
    "calendar_event_read",
    "calendar_event_update",
    "calendar_read",
    "calendar_update",
    "file_update",
    "message_reply",
    "provider_connect",
    "provider_share_owner",
];

/// Refuses a change to a key that holds a permission the caller lacks.
///
/// # Errors
/// [`Error::KeyBeyondCaller`].
pub fn require_covering(caller: &Caller, key: &ApiKey) -> Result<(), Error> {
    // A change grants nothing that the caller lacks. Who lacks only what persons have may still narrow or rename the key.
    let is_beyond = |permission: &&Permission| {
        let counts = is_within(key.reach.breadth(), **permission) && !permission.is_opt_in();
        counts && key.grants(**permission) && !holds(caller, **permission)
    };
    match Permission::ALL.iter().find(is_beyond) {
        Some(permission) => Err(Error::KeyBeyondCaller(*permission)),
        None => Ok(()),
    }
}

/// Refuses to change or revoke a member's key with a key that acts for no member, while the organization is unverified.
///
/// Anyone can sign up with any address. Until the address is confirmed, the key of the sign-up may belong to a
/// stranger. The member's key came from a mailed code and is the only proof of ownership.
///
/// # Errors
/// [`Error::MemberKeyProtected`].
pub fn require_member_key_access(caller: &Caller, key: &ApiKey) -> Result<(), Error> {
    let is_protected = !caller.organization.is_verified() && key.member_id.is_some() && caller.member.is_none();
    if is_protected { Err(Error::MemberKeyProtected) } else { Ok(()) }
}

/// Refuses an expiring caller that would add a permission to a key with a longer life.
///
/// # Errors
/// [`Error::KeyOutlivesCaller`].
pub fn require_outliving(caller: &Caller, key: &ApiKey, permissions: &Permissions) -> Result<(), Error> {
    let Some(at) = caller.expires_at else { return Ok(()) };
    let is_widened = |permission: &Permission| permissions.grants(*permission) && !key.grants(*permission);
    if key.expires_at.is_none_or(|end| end > at) && Permission::ALL.iter().any(is_widened) {
        return Err(Error::KeyOutlivesCaller { at });
    }
    Ok(())
}

/// Returns an error for each unknown permission and for each that a key of this breadth cannot hold.
#[must_use]
pub fn validate_permissions(asked: &Permissions, breadth: Breadth) -> Vec<FieldError> {
    let problem = |(name, granted): (&String, &bool)| {
        let message = match Permission::named(name) {
            Some(permission) if *granted && !is_within(breadth, permission) => match breadth {
                Breadth::Pod => "reaches beyond one pod; a key of one pod cannot hold it",
                _ => "reaches beyond one inbox; a key of one inbox cannot hold it",
            },
            Some(_) => return None,
            None if WITHOUT_EFFECT.contains(&name.as_str()) => return None,
            None => "is not a permission; see the list in the API documentation",
        };
        Some(FieldError::new(format!("permissions.{name}"), message))
    };
    asked.0.iter().filter_map(problem).collect()
}

/// Returns the permissions of a new key: the requested map, or the caller's own map if the request has none.
///
/// # Errors
/// [`Error::Invalid`] for an unknown name, or one beyond the reach of the new key; [`Error::PermissionEscalation`] for
/// one that the caller does not hold.
pub fn delegated(caller: &Caller, asked: Option<Permissions>, reach: &Reach) -> Result<Option<Permissions>, Error> {
    let Some(asked) = asked else { return Ok(caller.permissions.clone()) };
    Error::unless_empty(validate_permissions(&asked, reach.breadth()))?;
    let lacking = Permission::ALL.iter().find(|permission| asked.grants(**permission) && !holds(caller, **permission));
    match lacking {
        Some(permission) => Err(Error::PermissionEscalation(*permission)),
        None => Ok(Some(asked)),
    }
}
