//! Change of a pod's name.

use crate::app::App;
use crate::model::{Caller, Permission, Pod, PodId};
use crate::rules::{access, names};
use crate::{Error, Resource};

/// Renames a pod. Without a name it stays unchanged.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`],
/// [`Error::NotFound`].
pub async fn update(app: &App, caller: &Caller, pod_id: PodId, name: Option<String>) -> Result<Pod, Error> {
    access::require_whole_pod(caller, pod_id)?;
    access::require(caller, Permission::PodUpdate)?;
    if let Some(name) = &name {
        names::validate_label(name).map_err(|message| Error::invalid("name", message))?;
    }
    let mut tx = app.store.begin().await?;
    let pod = tx
        .pods()
        .lock(caller.organization.organization_id, pod_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Pod, pod_id))?;
    let name = name.unwrap_or_else(|| pod.name.clone());
    let pod = Pod { name, updated_at: app.clock.now(), ..pod };
    tx.pods().update(&pod).await?;
    tx.commit().await?;
    Ok(pod)
}
