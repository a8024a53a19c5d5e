//! Resolution of the pod or inbox that an authorized caller names.

use super::{App, inboxes, pods};
use crate::model::{Inbox, InboxId, Reach, Scope};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns the reach of a call after checking that its pod and inbox exist.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::PodOutOfScope`] for an inbox in a pod outside the reach of the caller.
pub(in crate::app) async fn resolve<P>(app: &App, caller: &AuthorizedCaller<P>) -> Result<Reach, Error> {
    match caller.scope() {
        Scope::Organization => Ok(caller.reach.clone()),
        Scope::Pod(pod_id) => {
            pods::find(app, caller, *pod_id).await?;
            Ok(Reach::Pod(*pod_id))
        }
        Scope::Inbox(inbox_id) => {
            let inbox = find_inbox(app, caller, inbox_id).await?;
            Ok(Reach::Inbox { pod_id: inbox.pod_id, inbox_id: inbox.inbox_id })
        }
    }
}

/// Returns the scope of a call after checking that its pod and inbox exist. The scope is within the reach of the
/// caller.
///
/// # Errors
/// The errors of [`resolve`]; [`Error::InboxIdRequired`] without an inbox for a member limited to several inboxes.
pub(in crate::app) async fn narrowed<P>(app: &App, caller: &AuthorizedCaller<P>) -> Result<Scope, Error> {
    access::one_scope(resolve(app, caller).await?)
}

/// Refuses an inbox outside the scope of a call. The inbox is read only where the scope has a pod.
///
/// # Errors
/// The errors of [`find_inbox`].
pub(in crate::app) async fn require_inbox<P>(
    app: &App,
    caller: &AuthorizedCaller<P>,
    inbox_id: &InboxId,
) -> Result<(), Error> {
    if matches!(caller.scope(), Scope::Pod(_)) || caller.pod_id().is_some() {
        return find_inbox(app, caller, inbox_id).await.map(drop);
    }
    named_inbox(caller, inbox_id)
}

/// Refuses an inbox outside the reach of the caller, or different from the one that the call names.
fn named_inbox<P>(caller: &AuthorizedCaller<P>, inbox_id: &InboxId) -> Result<(), Error> {
    access::require_inbox(caller, inbox_id)?;
    match caller.scope() {
        Scope::Inbox(named) if named != inbox_id => Err(Error::InboxOutOfScope { reached: named.clone() }),
        _ => Ok(()),
    }
}

/// Returns an inbox within the scope of a call.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub(in crate::app) async fn find_inbox<P>(
    app: &App,
    caller: &AuthorizedCaller<P>,
    inbox_id: &InboxId,
) -> Result<Inbox, Error> {
    named_inbox(caller, inbox_id)?;
    let pod_id = match caller.scope() {
        Scope::Organization => None,
        Scope::Pod(pod_id) => Some(*pod_id),
        Scope::Inbox(_) => caller.pod_id(),
    };
    let Some(pod_id) = pod_id else { return inboxes::find(app, caller, inbox_id).await };
    if !access::is_limited_to_inboxes(caller) {
        pods::find(app, caller, pod_id).await?;
    }
    // For an organization key an inbox of another pod is not found; a key of one pod gets the reason.
    let inbox = inboxes::find(app, caller.original(), inbox_id).await?;
    if inbox.pod_id == pod_id { Ok(inbox) } else { Err(Error::not_found(Resource::Inbox, inbox_id)) }
}
