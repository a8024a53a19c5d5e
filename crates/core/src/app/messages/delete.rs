//! Deletion of a message.

use super::batch_update::lock_threads;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes, legal_holds, threads};
use crate::model::{Caller, HidingLabels, Inbox, InboxId, MessageId, MessageItem, Permission};
use crate::rules::access;
use crate::{Error, Resource};

/// Deletes a message permanently.
///
/// Its storage is free at once. A thread without messages is deleted too.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`], [`Error::LegalHold`].
pub async fn delete(app: &App, caller: &Caller, inbox_id: &InboxId, message_id: &MessageId) -> Result<(), Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageDelete)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    retried(is_contention, || delete_once(app, caller, &inbox, message_id)).await
}

async fn delete_once(app: &App, caller: &Caller, inbox: &Inbox, message_id: &MessageId) -> Result<(), Error> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let not_found = || Error::not_found(Resource::Message, message_id);
    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), inbox).await?;
    legal_holds::require_deletable_inbox(tx.as_mut(), inbox).await?;
    let found = tx.messages().items(*organization_id, inbox_id, std::slice::from_ref(message_id)).await?;
    let thread = lock_threads(tx.as_mut(), *organization_id, inbox_id, &found).await?.pop().ok_or_else(not_found)?;
    // Read again under the lock: the labels may have changed or the message may have been deleted before.
    let found = tx.messages().items(*organization_id, inbox_id, std::slice::from_ref(message_id)).await?;
    let readable = access::readable(caller);
    let is_meant = |message: &&MessageItem| {
        message.thread_id == thread.thread_id && HidingLabels::of(&message.labels).shown_to(readable)
    };
    let message = found.iter().find(is_meant).ok_or_else(not_found)?;
    threads::remove(tx.as_mut(), inbox, vec![thread], std::slice::from_ref(message), app.clock.now()).await?;
    Ok(tx.commit().await?)
}
