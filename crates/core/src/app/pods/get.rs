//! Reading one pod.

use crate::app::App;
use crate::model::{Caller, Permission, Pod, PodId};
use crate::rules::access;
use crate::{Error, Resource};

/// Reads a pod.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn get(app: &App, caller: &Caller, pod_id: PodId) -> Result<Pod, Error> {
    access::require_whole_pod(caller, pod_id)?;
    access::require(caller, Permission::PodRead)?;
    find(app, caller, pod_id).await
}

/// The pod, for a use case that has checked scope and permission.
pub(crate) async fn find(app: &App, caller: &Caller, pod_id: PodId) -> Result<Pod, Error> {
    app.store
        .pod(caller.organization.organization_id, pod_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Pod, pod_id))
}
