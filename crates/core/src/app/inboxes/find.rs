//! Reading one inbox.

use crate::app::App;
use crate::model::{Caller, Inbox, InboxId, Permission};
use crate::ports::{Destination, Tx};
use crate::rules::access;
use crate::{Error, Resource};

/// Reads an inbox.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`], [`Error::PodOutOfScope`].
pub async fn get(app: &App, caller: &Caller, inbox_id: &InboxId) -> Result<Inbox, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::InboxRead)?;
    find(app, caller, inbox_id).await
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
