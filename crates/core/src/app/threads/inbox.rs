//! The inbox of a thread that a call names.

use crate::app::{App, inboxes, scope};
use crate::model::{Inbox, Scope, ThreadId};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Returns the inbox that the call names, or else the inbox of the thread. A thread outside the scope of the call is
/// not found.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::PodOutOfScope`] for the inbox that the call names.
pub async fn inbox_of<P>(app: &App, caller: &AuthorizedCaller<P>, thread_id: ThreadId) -> Result<Inbox, Error> {
    if let Scope::Inbox(inbox_id) = caller.scope() {
        return scope::find_inbox(app, caller, inbox_id).await;
    }
    scope::resolve(app, caller).await?;
    let not_found = || Error::not_found(Resource::Thread, thread_id);
    let organization_id = caller.organization.organization_id;
    let inbox_id = app.store.inbox_of_thread(organization_id, thread_id).await?.ok_or_else(not_found)?;
    access::require_inbox(caller, &inbox_id).map_err(|_| not_found())?;
    match inboxes::find(app, caller, &inbox_id).await {
        Ok(inbox) => Ok(inbox),
        Err(Error::PodOutOfScope | Error::NotFound { .. }) => Err(not_found()),
        Err(error) => Err(error),
    }
}
