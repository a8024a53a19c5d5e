//! Deleting a message.

use super::batch_update::lock_threads;
use crate::app::{App, inboxes};
use crate::model::{Caller, Hidden, InboxId, MessageId, MessageItem, Permission, UsageChange};
use crate::rules::access;
use crate::{Error, Resource};

/// Deletes a message for good. What it took of the storage is free at once; a thread without messages goes with it.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn delete(app: &App, caller: &Caller, inbox_id: &InboxId, message_id: &MessageId) -> Result<(), Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageDelete)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    let organization_id = caller.organization.organization_id;
    let readable = access::readable(caller);
    let not_found = || Error::not_found(Resource::Message, message_id);
    let ids = std::slice::from_ref(message_id);

    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), &inbox).await?;
    let found = tx.messages().items(organization_id, inbox_id, ids).await?;
    let thread = lock_threads(tx.as_mut(), organization_id, inbox_id, &found).await?.pop().ok_or_else(not_found)?;
    let messages = tx.messages().of_thread(organization_id, inbox_id, thread.thread_id).await?;
    let (gone, left): (Vec<MessageItem>, Vec<MessageItem>) =
        messages.into_iter().partition(|message| message.message_id == *message_id);
    let gone = gone.first().filter(|message| Hidden::of(&message.labels).shown_to(readable)).ok_or_else(not_found)?;
    tx.messages().delete(organization_id, inbox_id, ids).await?;
    let thread_id = thread.thread_id;
    let thread = thread.summed_up(&left, app.clock.now());
    match &thread {
        Some(thread) => tx.threads().update(thread).await?,
        None => tx.threads().delete(organization_id, inbox_id, thread_id).await?,
    }
    let change = UsageChange {
        storage_bytes: -i64::try_from(gone.size).unwrap_or(i64::MAX),
        messages: -1,
        threads: -i64::from(thread.is_none()),
    };
    tx.usage().change(organization_id, &[(inbox_id.clone(), change)]).await?;
    Ok(tx.commit().await?)
}
