//! Lookup of one pod.

use crate::app::App;
use crate::model::{Caller, Permission, Pod, PodId, Reach};
use crate::rules::access;
use crate::{Error, Resource};

/// Returns a pod within the caller's reach.
///
/// A member limited to some inboxes also reaches the pods of these inboxes.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::MissingPermission`],
/// [`Error::NotFound`].
pub async fn get(app: &App, caller: &Caller, pod_id: PodId) -> Result<Pod, Error> {
    if !holds_an_inbox_of(app, caller, pod_id).await? {
        access::require_whole_pod(caller, pod_id)?;
    }
    access::require(caller, Permission::PodRead)?;
    find(app, caller, pod_id).await
}

/// Returns whether the caller is a member limited to some inboxes, at least one of which belongs to the pod.
pub(crate) async fn holds_an_inbox_of(app: &App, caller: &Caller, pod_id: PodId) -> Result<bool, Error> {
    match &caller.reach {
        Reach::Inboxes(theirs) => {
            Ok(app.store.pod_has_any(caller.organization.organization_id, pod_id, theirs).await?)
        }
        _ => Ok(false),
    }
}

/// Returns the pod. The use case has already checked scope and permission.
pub(crate) async fn find(app: &App, caller: &Caller, pod_id: PodId) -> Result<Pod, Error> {
    app.store
        .pod(caller.organization.organization_id, pod_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Pod, pod_id))
}
