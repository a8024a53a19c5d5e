//! Revocation of an API key.

use std::collections::BTreeSet;

use super::get::find;
use crate::app::App;
use crate::app::contention::{is_contention, retried};
use crate::model::permissions::ApiKeyDelete;
use crate::model::{ApiKeyId, OrganizationId, PolicyLevel};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Revokes a key and unassigns its threads.
///
/// Every process refuses each request of the key that starts after the commit.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::MemberKeyProtected`].
pub async fn revoke(app: &App, caller: &AuthorizedCaller<ApiKeyDelete>, api_key_id: ApiKeyId) -> Result<(), Error> {
    let key = find(app, caller, api_key_id).await?;
    access::require_member_key_access(caller, &key)?;
    revoke_as_operator(app, key.organization_id, key.api_key_id).await
}

/// Revokes a key of any organization, for the operator.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn revoke_as_operator(app: &App, organization_id: OrganizationId, api_key_id: ApiKeyId) -> Result<(), Error> {
    retried(is_contention, || revoke_once(app, organization_id, api_key_id)).await
}

async fn revoke_once(app: &App, organization_id: OrganizationId, api_key_id: ApiKeyId) -> Result<(), Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    if !tx.api_keys().revoke(organization_id, api_key_id, now).await? {
        return Err(Error::not_found(Resource::ApiKey, api_key_id));
    }
    tx.policies().delete(organization_id, &PolicyLevel::ApiKey(api_key_id)).await?;
    // No thread stays assigned to a key that cannot open the inbox. Threads of members stay assigned: members have
    // other keys.
    tx.threads().unassign(organization_id, &api_key_id.to_string(), &BTreeSet::new(), now).await?;
    Ok(tx.commit().await?)
}
