//! List of pods.

use crate::Error;
use crate::app::App;
use crate::model::{Caller, Page, PageRequest, Permission, Pod, Reach};
use crate::ports::PodQuery;
use crate::rules::access;

/// Lists the pods within the caller's reach.
///
/// A member limited to some inboxes sees the pods of these inboxes.
///
/// # Errors
/// [`Error::MissingPermission`].
pub async fn list(app: &App, caller: &Caller, page: PageRequest) -> Result<Page<Pod>, Error> {
    access::require(caller, Permission::PodRead)?;
    let (pod_id, of_inboxes) = match &caller.reach {
        Reach::Organization => (None, None),
        Reach::Inboxes(theirs) => (None, Some(theirs.clone())),
        Reach::Pod(pod_id) | Reach::Inbox { pod_id, .. } => (Some(*pod_id), None),
    };
    let organization_id = caller.organization.organization_id;
    Ok(app.store.list_pods(&PodQuery { organization_id, pod_id, of_inboxes, page }).await?)
}
