//! Changes of policies.

use std::net::IpAddr;

use super::{Named, PolicyName, find};
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, pods, row_limits, standing};
use crate::model::permissions::PolicyUpdate;
use crate::model::{
    Actor, ApiKeyId, AuditAction, AuditActor, Caller, OrganizationId, Policy, PolicyLevel, PolicyRules,
};
use crate::ports::Tx;
use crate::rules::authorization::AuthorizedCaller;
use crate::rules::{approval, sending_policy};
use crate::{Error, Resource};

/// Stores the rules of a scope or a key in place of the former ones.
///
/// # Errors
/// [`crate::PolicyError::PersonRequired`], [`Error::Invalid`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn put(
    app: &App,
    caller: &AuthorizedCaller<PolicyUpdate>,
    name: PolicyName,
    rules: PolicyRules,
) -> Result<Policy, Error> {
    approval::require_person(caller)?;
    Error::unless_empty(sending_policy::validate_rules(&rules))?;
    let named = find(app, caller, name).await?;
    retried(is_contention, || put_once(app, caller, &named, &rules)).await
}

async fn put_once(
    app: &App,
    caller: &AuthorizedCaller<PolicyUpdate>,
    named: &Named,
    rules: &PolicyRules,
) -> Result<Policy, Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = begin(app, caller, named).await?;
    let (updated_by, updated_at) = (Some(caller.actor.clone()), app.clock.now());
    let policy = Policy { organization_id, level: named.level.clone(), rules: rules.clone(), updated_by, updated_at };
    let before = tx.policies().binding(organization_id, std::slice::from_ref(&policy.level)).await?.policies;
    tx.policies().put(&policy).await?;
    let change = match before.first() {
        Some(before) => AuditChange::updated(AuditAction::PolicyUpdated, before, &policy),
        None => AuditChange::created(AuditAction::PolicyCreated, &policy),
    };
    audit::record(app, tx.as_mut(), caller, change).await?;
    tx.commit().await?;
    Ok(policy)
}

/// Deletes the policy of a scope or a key.
///
/// # Errors
/// [`crate::PolicyError::PersonRequired`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn delete(app: &App, caller: &AuthorizedCaller<PolicyUpdate>, name: PolicyName) -> Result<(), Error> {
    approval::require_person(caller)?;
    let named = find(app, caller, name).await?;
    retried(is_contention, || delete_once(app, caller, &named)).await
}

async fn delete_once(app: &App, caller: &AuthorizedCaller<PolicyUpdate>, named: &Named) -> Result<(), Error> {
    let mut tx = begin(app, caller, named).await?;
    let organization_id = caller.organization.organization_id;
    let author = (AuditActor::Caller(caller.actor.clone()), caller.client_address);
    if !remove(app, tx.as_mut(), organization_id, author, &named.level).await? {
        return Err(Error::not_found(Resource::Policy, named.level.kind()));
    }
    Ok(tx.commit().await?)
}

/// Removes the policy of a level, also when its scope ends. Returns whether there was one.
pub(in crate::app) async fn remove(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    author: (AuditActor, Option<IpAddr>),
    level: &PolicyLevel,
) -> Result<bool, Error> {
    let Some(removed) = tx.policies().delete(organization_id, level).await? else { return Ok(false) };
    let change = AuditChange::deleted(AuditAction::PolicyDeleted, &removed);
    audit::record_by(app, tx, organization_id, author, change).await?;
    Ok(true)
}

/// Removes the policies of revoked keys.
pub(in crate::app) async fn remove_of_keys(
    app: &App,
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    author: &(AuditActor, Option<IpAddr>),
    api_key_ids: &[ApiKeyId],
) -> Result<(), Error> {
    for api_key_id in api_key_ids {
        remove(app, tx, organization_id, author.clone(), &PolicyLevel::ApiKey(*api_key_id)).await?;
    }
    Ok(())
}

/// Gives a new key the policy of the key that creates it, so that no key frees itself by another one.
pub(in crate::app) async fn hand_down(
    app: &App,
    tx: &mut dyn Tx,
    creator: &Caller,
    api_key_id: ApiKeyId,
) -> Result<(), Error> {
    let Actor::ApiKey { api_key_id: creating, .. } = &creator.actor else { return Ok(()) };
    let organization_id = creator.organization.organization_id;
    let inherited = tx.policies().binding(organization_id, &[PolicyLevel::ApiKey(*creating)]).await?;
    let Some(inherited) = inherited.policies.into_iter().next() else { return Ok(()) };
    let policy = Policy { level: PolicyLevel::ApiKey(api_key_id), ..inherited };
    tx.policies().put(&policy).await?;
    audit::record(app, tx, creator, AuditChange::created(AuditAction::PolicyCreated, &policy)).await
}

/// Begins a unit of work for a person that is still an administrator, and locks what the policy belongs to. A message is
/// decided under the lock of the organization, so no message passes by a policy that is stored.
async fn begin(
    app: &App,
    caller: &AuthorizedCaller<PolicyUpdate>,
    Named { level, inbox }: &Named,
) -> Result<Box<dyn Tx>, Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    row_limits::lock_organization(tx.as_mut(), organization_id).await?;
    match (level, inbox) {
        (PolicyLevel::Pod(pod_id), _) => pods::hold(tx.as_mut(), organization_id, *pod_id).await?,
        (_, Some(inbox)) => inboxes::hold(tx.as_mut(), inbox).await?,
        _ => {}
    }
    approval::require_person(&*standing::renewed(app, tx.as_mut(), caller).await?)?;
    if let PolicyLevel::ApiKey(api_key_id) = level {
        hold_key(tx.as_mut(), caller, *api_key_id).await?;
    }
    Ok(tx)
}

async fn hold_key(tx: &mut dyn Tx, caller: &AuthorizedCaller<PolicyUpdate>, api_key_id: ApiKeyId) -> Result<(), Error> {
    let held = tx.api_keys().hold(caller.organization.organization_id, api_key_id).await?;
    held.map(drop).ok_or_else(|| Error::not_found(Resource::ApiKey, api_key_id))
}
