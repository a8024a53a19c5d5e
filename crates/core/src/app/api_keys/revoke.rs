//! Revoking a key.

use super::get::find;
use crate::app::App;
use crate::model::{ApiKeyId, Caller, InboxId, Permission};
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
    find(app, caller, of_inbox, api_key_id).await?;
    let mut tx = app.store.begin().await?;
    if !tx.api_keys().revoke(caller.organization.organization_id, api_key_id, app.clock.now()).await? {
        return Err(Error::not_found(Resource::ApiKey, api_key_id));
    }
    Ok(tx.commit().await?)
}
