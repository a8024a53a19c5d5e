//! Deletion of a pod.

use crate::app::audit::{self, AuditChange, RemovedDependents};
use crate::app::{App, legal_holds, policies};
use crate::model::{AuditAction, AuditActor, Caller, ListLevel, Permission, PodId, PolicyLevel};
use crate::rules::access;
use crate::{Error, Resource};

/// Deletes an empty pod with its lists and webhooks, and revokes its keys.
///
/// The default pod cannot be deleted.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`],
/// [`Error::CannotDelete`], [`Error::LegalHold`].
pub async fn delete(app: &App, caller: &Caller, pod_id: PodId) -> Result<(), Error> {
    access::require_whole_pod(caller, pod_id)?;
    access::require(caller, Permission::PodDelete)?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    let pod = tx.pods().lock(organization_id, pod_id).await?.ok_or_else(|| Error::not_found(Resource::Pod, pod_id))?;
    let refusal = |used_by| Error::CannotDelete { resource: Resource::Pod, name: pod.name.clone(), used_by };
    if pod_id == caller.organization.default_pod_id {
        return Err(refusal("it is the default pod".to_owned()));
    }
    let live = tx.pods().count_inboxes(organization_id, pod_id).await?;
    if live > 0 {
        return Err(refusal(format!("{live} of its inboxes are live")));
    }
    legal_holds::require_deletable(tx.as_mut(), organization_id, None).await?;
    tx.pods().delete(organization_id, pod_id, now).await?;
    let list_entries = tx.lists().delete_all(organization_id, &ListLevel::Pod(pod_id)).await?;
    let author = (AuditActor::Caller(caller.actor.clone()), caller.client_address);
    policies::remove(app, tx.as_mut(), organization_id, author.clone(), &PolicyLevel::Pod(pod_id)).await?;
    // The threads of these keys belonged to deleted inboxes, so none needs to be unassigned.
    let api_key_ids = tx.api_keys().revoke_of_pod(organization_id, pod_id, now).await?;
    policies::remove_of_keys(app, tx.as_mut(), organization_id, &author, &api_key_ids).await?;
    let webhook_ids = tx.webhooks().leave_pod(organization_id, pod_id, now).await?;
    let gone = RemovedDependents { api_key_ids, webhook_ids, list_entries };
    let change = AuditChange::deleted(AuditAction::PodDeleted, &pod).with_removed(&gone);
    audit::record(app, tx.as_mut(), caller, change).await?;
    Ok(tx.commit().await?)
}
