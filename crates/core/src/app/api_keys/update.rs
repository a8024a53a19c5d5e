//! Change of the name and permissions of an API key.
//!
//! The reach and the expiry of a key never change.

use std::collections::BTreeSet;

use super::get::find;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, standing};
use crate::model::{ApiKey, ApiKeyId, AuditAction, Breadth, Caller, Permission, Permissions};
use crate::rules::access::ApiKeyChange;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{access, delegation, names};
use crate::{Error, FieldError, Resource};

/// Changes to a key; `None` leaves a field unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyChange {
    /// The new name.
    pub name: Option<String>,
    /// The new permissions, which replace the old ones.
    pub permissions: Option<Permissions>,
}

/// Changes a key within the caller's reach.
///
/// The key may hold no permission that the caller lacks. The change grants no more than the caller holds, and for no
/// longer.
///
/// # Errors
/// [`Error::Invalid`], [`Error::PermissionEscalation`], [`Error::KeyBeyondCaller`], [`Error::KeyOutlivesCaller`],
/// [`Error::MemberKeyProtected`], [`Error::NotFound`], [`Error::PodOutOfScope`]. For a
/// caller that changed meanwhile [`Error::UnknownApiKey`], [`Error::RoleNotAllowed`], [`Error::MissingPermission`].
pub async fn update(
    app: &App,
    caller: &AuthorizedCaller<ApiKeyChange>,
    api_key_id: ApiKeyId,
    change: KeyChange,
) -> Result<ApiKey, Error> {
    Error::unless_empty(problems_of_change(&change))?;
    let key = find(app, caller, api_key_id).await?;
    let permissions = match change.permissions {
        None => None,
        asked => delegation::delegated(caller, asked, &key.reach)?,
    };
    let change = KeyChange { permissions, ..change };
    retried(is_contention, || update_once(app, caller, &key, change.clone())).await
}

/// Changes the current row of the key, since a concurrent request may have changed its other fields.
async fn update_once(app: &App, caller: &Caller, seen: &ApiKey, change: KeyChange) -> Result<ApiKey, Error> {
    let ApiKey { organization_id, api_key_id, .. } = *seen;
    let not_found = || Error::not_found(Resource::ApiKey, api_key_id);
    let mut tx = app.store.begin().await?;
    // The lock serializes two keys that change each other.
    tx.accounts().lock(organization_id).await?.ok_or_else(|| Error::no_organization(organization_id))?;
    let caller = standing::present(app, tx.as_mut(), caller).await?;
    access::require(&caller, access::key_change_permission(&caller))?;
    let key = tx.api_keys().lock(organization_id, api_key_id).await?.ok_or_else(not_found)?;
    delegation::require_member_key_access(&caller, &key)?;
    delegation::require_covering(&caller, &key)?;
    if let Some(permissions) = &change.permissions {
        delegation::delegated(&caller, Some(permissions.clone()), &key.reach)?;
        delegation::require_outliving(&caller, &key, permissions)?;
    }
    let before = key.clone();
    let key = ApiKey {
        name: change.name.unwrap_or(key.name),
        permissions: change.permissions.or(key.permissions),
        updated_at: app.clock.now(),
        ..key
    };
    if !tx.api_keys().update(&key).await? {
        return Err(not_found());
    }
    // No thread stays assigned to a key that cannot open the inbox.
    if !key.grants(Permission::MessageRead) {
        tx.threads().unassign(organization_id, &api_key_id.to_string(), &BTreeSet::new(), key.updated_at).await?;
    }
    let change = AuditChange::updated(AuditAction::ApiKeyUpdated, &before, &key);
    audit::record(app, tx.as_mut(), &caller, change).await?;
    tx.commit().await?;
    Ok(key)
}

/// Returns every problem that a change has by itself, for any key.
#[must_use]
pub fn problems_of_change(change: &KeyChange) -> Vec<FieldError> {
    let name = change.name.as_deref().and_then(|name| names::validate_label(name).err());
    let of_permissions =
        change.permissions.iter().flat_map(|map| delegation::validate_permissions(map, Breadth::Organization));
    name.map(|message| FieldError::new("name", message)).into_iter().chain(of_permissions).collect()
}
