//! Lookup of one inbox.

use crate::app::{App, scope};
use crate::model::permissions::InboxRead;
use crate::model::{Caller, Inbox, InboxId, Reach};
use crate::ports::{Destination, Tx};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns an inbox within the scope of the call.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::NotTheirInbox`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(app: &App, caller: &AuthorizedCaller<InboxRead>, inbox_id: &InboxId) -> Result<Inbox, Error> {
    scope::find_inbox(app, caller, inbox_id).await
}

/// Returns the inbox. The use case has already checked the permission.
pub(crate) async fn find(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<Inbox, Error> {
    let inbox = app
        .store
        .inbox(caller.organization.organization_id, inbox_id)
        .await?
        .ok_or_else(|| Error::not_found(Resource::Inbox, inbox_id))?;
    access::require_pod(caller, &inbox)?;
    Ok(inbox)
}

/// Requires that the inbox is in a pod within the caller's reach.
///
/// Only a caller limited to a pod needs a read. For other callers the existence of the inbox stays unchecked. A use
/// case that finds no content must therefore call [`find`].
pub(crate) async fn approach(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<(), Error> {
    match caller.reach {
        Reach::Pod(_) => find(app, caller, inbox_id).await.map(drop),
        Reach::Organization | Reach::Inbox { .. } | Reach::Inboxes(_) => Ok(()),
    }
}

/// Locks the inbox against deletion until the unit of work ends.
///
/// Each change of usage needs this lock first, so a deleted inbox never has usage.
pub(crate) async fn hold(tx: &mut dyn Tx, inbox: &Inbox) -> Result<(), Error> {
    let held = tx.inboxes().hold(&[destination(inbox)]).await?;
    if held.is_empty() { Err(Error::not_found(Resource::Inbox, &inbox.inbox_id)) } else { Ok(()) }
}

/// Returns the location of an inbox for its mail.
pub(crate) fn destination(inbox: &Inbox) -> Destination {
    let Inbox { organization_id, pod_id, inbox_id, .. } = inbox;
    Destination { organization_id: *organization_id, pod_id: *pod_id, inbox_id: inbox_id.clone() }
}
