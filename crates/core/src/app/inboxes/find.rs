//! Reading one inbox.

use crate::app::{App, scope};
use crate::model::permissions::InboxRead;
use crate::model::{Caller, Inbox, InboxId, Reach};
use crate::ports::{Destination, Tx};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Reads an inbox.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(app: &App, caller: &AuthorizedCaller<InboxRead>, inbox_id: &InboxId) -> Result<Inbox, Error> {
    scope::find_inbox(app, caller, inbox_id).await
}

/// The inbox, for a use case that has checked the caller's permission.
pub(crate) async fn find(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<Inbox, Error> {
    let inbox = app
        .store
        .inbox(caller.organization.organization_id, inbox_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Inbox, inbox_id))?;
    access::require_pod(caller, &inbox)?;
    Ok(inbox)
}

/// Refuses an inbox in a pod that the caller does not reach. Most callers are not asked for the pod, so nothing is read:
/// what they find in the inbox says that it is there, and whoever finds nothing has to [`find`] the inbox.
pub(crate) async fn approach(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<(), Error> {
    match caller.reach {
        Reach::Pod(_) => find(app, caller, inbox_id).await.map(drop),
        Reach::Organization | Reach::Inbox { .. } | Reach::Inboxes(_) => Ok(()),
    }
}

/// Keeps the inbox from being deleted until the unit of work ends: whoever changes its usage does this first, so that
/// nothing is counted for an inbox that is gone.
pub(crate) async fn hold(tx: &mut dyn Tx, inbox: &Inbox) -> Result<(), Error> {
    let held = tx.inboxes().hold(&[destination(inbox)]).await?;
    if held.is_empty() { Err(Error::not_found(Resource::Inbox, &inbox.inbox_id)) } else { Ok(()) }
}

/// Where the mail of an inbox goes.
pub(crate) fn destination(inbox: &Inbox) -> Destination {
    let Inbox { organization_id, pod_id, inbox_id, .. } = inbox;
    Destination { organization_id: *organization_id, pod_id: *pod_id, inbox_id: inbox_id.clone() }
}
