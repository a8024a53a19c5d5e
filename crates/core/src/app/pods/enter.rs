//! What lies below a pod: the caller goes on as if their key reached that pod and nothing else.

use super::get::find;
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId, OrganizationId, PodId, Reach};
use crate::ports::Tx;
use crate::rules::access;
use crate::{Error, Resource};

/// The caller within a pod: every use case that is called with this one sees the pod and nothing beyond it. Permissions
/// are those of the key; the use case checks them.
///
/// # Errors
/// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`], [`Error::NotFound`].
pub async fn enter(app: &App, caller: &Caller, pod_id: PodId) -> Result<Caller, Error> {
    access::require_whole_pod(caller, pod_id)?;
    find(app, caller, pod_id).await?;
    Ok(Caller { reach: Reach::Pod(pod_id), ..caller.clone() })
}

/// The caller within a pod, for a use case on one inbox of it. To a key of the organization an inbox of another pod is
/// not there.
///
/// # Errors
/// As [`enter`], and [`Error::NotFound`] for the inbox.
pub async fn enter_inbox(app: &App, caller: &Caller, pod_id: PodId, inbox_id: &InboxId) -> Result<Caller, Error> {
    let within = enter(app, caller, pod_id).await?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    if inbox.pod_id != pod_id {
        return Err(Error::not_found(Resource::Inbox, inbox_id));
    }
    Ok(within)
}

/// Keeps a pod from being deleted until the unit of work ends: whoever puts something into it does this first.
pub(crate) async fn hold(tx: &mut dyn Tx, organization_id: OrganizationId, pod_id: PodId) -> Result<(), Error> {
    if tx.pods().hold(organization_id, pod_id).await? { Ok(()) } else { Err(Error::not_found(Resource::Pod, pod_id)) }
}
