//! Deletion of a thread.

use super::get::find;
use super::inbox::inbox_of;
use super::removal::remove_all;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, legal_holds};
use crate::model::permissions::MessageDelete;
use crate::model::{Caller, Inbox, ThreadId};
use crate::rules::access;
use crate::rules::authorization::AuthorizedCaller;
use crate::{Error, Resource};

/// Permanently deletes the visible messages of a thread, and the thread if none is left.
///
/// # Errors
/// [`Error::NotFound`], [`Error::PodOutOfScope`], [`Error::LegalHold`].
pub async fn delete(app: &App, caller: &AuthorizedCaller<MessageDelete>, thread_id: ThreadId) -> Result<(), Error> {
    let inbox = inbox_of(app, caller, thread_id).await?;
    find(app, caller, &inbox.inbox_id, thread_id).await?;
    retried(is_contention, || delete_once(app, caller, &inbox, thread_id)).await
}

async fn delete_once(app: &App, caller: &Caller, inbox: &Inbox, thread_id: ThreadId) -> Result<(), Error> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    legal_holds::require_deletable_inbox(tx.as_mut(), inbox).await?;
    let thread = tx
        .threads()
        .lock(*organization_id, inbox_id, &[thread_id])
        .await?
        .pop()
        .ok_or_else(|| Error::not_found(Resource::Thread, thread_id))?;
    remove_all(tx.as_mut(), inbox, thread, access::readable(caller), app.clock.now()).await?;
    Ok(tx.commit().await?)
}
