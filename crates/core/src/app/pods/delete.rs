//! Deleting a pod.

use crate::app::App;
use crate::model::{Caller, Permission, PodId};
use crate::rules::access;
use crate::{Error, PodInUse, Resource};

/// Deletes an empty pod, and revokes the keys that reached only it. The default pod stays.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`],
/// [`Error::CannotDeletePod`].
pub async fn delete(app: &App, caller: &Caller, pod_id: PodId) -> Result<(), Error> {
    access::require_whole_pod(caller, pod_id)?;
    access::require(caller, Permission::PodDelete)?;
    let organization_id = caller.organization.organization_id;
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    tx.pods().lock(organization_id, pod_id).await?.ok_or_else(|| Error::not_found(Resource::Pod, pod_id))?;
    if pod_id == caller.organization.default_pod_id {
        return Err(Error::CannotDeletePod(PodInUse::Default));
    }
    let live = tx.pods().count_inboxes(organization_id, pod_id).await?;
    if live > 0 {
        return Err(Error::CannotDeletePod(PodInUse::Inboxes { live }));
    }
    tx.pods().delete(organization_id, pod_id, now).await?;
    tx.api_keys().revoke_of_pod(organization_id, pod_id, now).await?;
    Ok(tx.commit().await?)
}
