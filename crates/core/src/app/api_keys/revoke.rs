//! Revoking a key.

use std::collections::BTreeSet;

use super::get::find;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::{ApiKey, ApiKeyId, Caller, InboxId, Permission};
use crate::rules::access;
use crate::{Error, Resource};

/// Revokes a key. Every request that starts after this is refused, in every process, and every thread that was the key's is
/// nobody's.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxOutOfScope`], [`Error::NotFound`].
pub async fn revoke(app: &App, caller: &Caller, of_inbox: Option<&InboxId>, api_key_id: ApiKeyId) -> Result<(), Error> {
    if let Some(inbox_id) = of_inbox {
        access::require_inbox(caller, inbox_id)?;
    }
    access::require(caller, Permission::ApiKeyDelete)?;
    let key = find(app, caller, of_inbox, api_key_id).await?;
    retried(is_contention, || revoke_once(app, &key)).await
}

async fn revoke_once(app: &App, key: &ApiKey) -> Result<(), Error> {
    let ApiKey { organization_id, api_key_id, .. } = *key;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    if !tx.api_keys().revoke(organization_id, api_key_id, now).await? {
        return Err(Error::not_found(Resource::ApiKey, api_key_id));
    }
    // Mail is never assigned to someone who cannot open the inbox. What is a person's stays theirs: they have other keys.
    tx.threads().unassign(organization_id, &api_key_id.to_string(), &BTreeSet::new(), now).await?;
    Ok(tx.commit().await?)
}
