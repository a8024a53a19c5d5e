//! Revocation of an API key.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::get::find;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, policies};
use crate::model::permissions::ApiKeyDelete;
use crate::model::{ApiKey, ApiKeyId, AuditAction, AuditActor, Caller, OrganizationId, PolicyLevel};
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::delegation;
use crate::{Error, Resource};

/// Revokes a key and unassigns its threads.
///
/// Every process refuses each request of the key that starts after the commit.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::MemberKeyProtected`].
pub async fn revoke(app: &App, caller: &AuthorizedCaller<ApiKeyDelete>, api_key_id: ApiKeyId) -> Result<(), Error> {
    let key = find(app, caller, api_key_id).await?;
    delegation::require_member_key_access(caller, &key)?;
    let author = (AuditActor::Caller(caller.actor.clone()), caller.client_address);
    retried(is_contention, || revoke_once(app, &key, author.clone())).await
}

/// Revokes the key of the caller, if a sign-in created it: every role may sign out.
///
/// # Errors
/// [`Error::NotFound`] for any other key.
pub async fn revoke_own(app: &App, caller: &Caller, api_key_id: ApiKeyId) -> Result<(), Error> {
    let absent = || Error::not_found(Resource::ApiKey, api_key_id);
    if !is_own(caller, api_key_id) {
        return Err(absent());
    }
    let key = app.store.api_key(caller.organization.organization_id, api_key_id).await?.ok_or_else(absent)?;
    let author = (AuditActor::Caller(caller.actor.clone()), caller.client_address);
    retried(is_contention, || revoke_once(app, &key, author.clone())).await
}

/// Returns whether a key is that of the caller, and a sign-in created it.
#[must_use]
pub fn is_own(caller: &Caller, api_key_id: ApiKeyId) -> bool {
    caller.member.is_some() && caller.connection.is_none() && caller.api_key_id == Some(api_key_id)
}

/// Revokes a key of any organization, for the operator.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn revoke_as_operator(app: &App, organization_id: OrganizationId, api_key_id: ApiKeyId) -> Result<(), Error> {
    let found = app.store.api_key(organization_id, api_key_id).await?;
    let key = found.ok_or_else(|| Error::not_found(Resource::ApiKey, api_key_id))?;
    retried(is_contention, || revoke_once(app, &key, audit::OPERATOR)).await
}

async fn revoke_once(app: &App, key: &ApiKey, author: (AuditActor, Option<IpAddr>)) -> Result<(), Error> {
    let ApiKey { organization_id, api_key_id, .. } = *key;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    if !tx.api_keys().revoke(organization_id, api_key_id, now).await? {
        return Err(Error::not_found(Resource::ApiKey, api_key_id));
    }
    policies::remove(app, tx.as_mut(), organization_id, author.clone(), &PolicyLevel::ApiKey(api_key_id)).await?;
    // No thread stays assigned to a key that cannot open the inbox. Threads of members stay assigned: members have
    // other keys.
    tx.threads().unassign(organization_id, &api_key_id.to_string(), &BTreeSet::new(), now).await?;
    let change = AuditChange::deleted(AuditAction::ApiKeyDeleted, key);
    audit::record_by(app, tx.as_mut(), organization_id, author, change).await?;
    Ok(tx.commit().await?)
}
