//! Threads by their id alone, wherever within the caller's reach they are.

use super::list::{ThreadFilter, list_within};
use crate::app::{App, inboxes};
use crate::model::{Caller, InboxId, Page, Permission, Thread, ThreadId};
use crate::ports::ThreadScope;
use crate::rules::access;
use crate::{Error, Resource};

/// Lists the threads of every inbox that the caller reaches.
///
/// # Errors
/// [`Error::MissingPermission`], [`Error::InboxIdRequired`].
pub async fn list_across(app: &App, caller: &Caller, filter: ThreadFilter) -> Result<Page<Thread>, Error> {
    access::require(caller, Permission::MessageRead)?;
    let scope = match access::listed(caller, None)? {
        (_, Some(inbox_id)) => ThreadScope::Inbox(inbox_id),
        (Some(pod_id), None) => ThreadScope::Pod(pod_id),
        (None, None) => ThreadScope::Organization,
    };
    list_within(app, caller, scope, filter).await
}

/// The inbox of a thread, for a use case that goes on with it. A thread beyond the caller's reach is not there.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn inbox_of(app: &App, caller: &Caller, thread_id: ThreadId) -> Result<InboxId, Error> {
    let not_found = || Error::not_found(Resource::Thread, thread_id);
    let organization_id = caller.organization.organization_id;
    let inbox_id = app.store.inbox_of_thread(organization_id, thread_id).await?.ok_or_else(not_found)?;
    access::require_inbox(caller, &inbox_id).map_err(|_| not_found())?;
    match inboxes::find(app, caller, &inbox_id).await {
        Ok(inbox) => Ok(inbox.inbox_id),
        Err(Error::PodOutOfScope | Error::NotFound { .. }) => Err(not_found()),
        Err(error) => Err(error),
    }
}
