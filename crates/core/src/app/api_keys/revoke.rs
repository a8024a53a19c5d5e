//! Revoking a key.

use crate::app::App;
use crate::model::{ApiKeyId, Caller, InboxId, Permission, Reach};
use crate::rules::access;
use crate::{Error, Resource};

/// Revokes a key. Every request that starts after this is refused, in every process.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxOutOfScope`], [`Error::NotFound`].
pub async fn revoke(app: &App, caller: &Caller, of_inbox: Option<&InboxId>, api_key_id: ApiKeyId) -> Result<(), Error> {
    if let Some(inbox_id) = of_inbox {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::ApiKeyDelete)?;
    let organization_id = caller.organization.organization_id;
    let not_found = || Error::not_found(Resource::ApiKey, api_key_id);
    let api_key = app.store.api_key(organization_id, api_key_id).await?.ok_or_else(not_found)?;
    if !reaches(&caller.reach, &api_key.reach) {
        return Err(not_found());
    }
    if let Some(inbox_id) = of_inbox
        && !matches!(&api_key.reach, Reach::Inbox { inbox_id: reached, .. } if reached == inbox_id)
    {
        return Err(not_found());
    }
    let mut tx = app.store.begin().await?;
    if !tx.api_keys().revoke(organization_id, api_key_id, app.clock.now()).await? {
        return Err(not_found());
    }
    Ok(tx.commit().await?)
}

/// Whether one key's reach holds another's.
fn reaches(wider: &Reach, narrower: &Reach) -> bool {
    match (wider, narrower) {
        (Reach::Organization, _) => true,
        (Reach::Pod(pod), Reach::Pod(other) | Reach::Inbox { pod_id: other, .. }) => pod == other,
        (one, other) => one == other,
    }
}
