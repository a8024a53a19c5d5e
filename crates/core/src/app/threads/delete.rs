//! Deleting a thread.

use super::get::find;
use crate::app::{App, inboxes};
use crate::model::{Caller, Hidden, InboxId, MessageId, MessageItem, Permission, ThreadId, UsageChange};
use crate::rules::access;
use crate::{Error, Resource};

/// Deletes a thread with every message of it that the caller may see, for good.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::NotFound`].
pub async fn delete(app: &App, caller: &Caller, inbox_id: &InboxId, thread_id: ThreadId) -> Result<(), Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageDelete)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    find(app, caller, inbox_id, thread_id).await?;
    let organization_id = caller.organization.organization_id;
    let readable = access::readable(caller);

    let mut tx = app.store.begin().await?;
    inboxes::hold(tx.as_mut(), &inbox).await?;
    let thread = tx
        .threads()
        .lock(organization_id, inbox_id, &[thread_id])
        .await?
        .pop()
        .ok_or_else(|| Error::not_found(Resource::Thread, thread_id))?;
    let messages = tx.messages().of_thread(organization_id, inbox_id, thread_id).await?;
    let (gone, left): (Vec<MessageItem>, Vec<MessageItem>) =
        messages.into_iter().partition(|message| Hidden::of(&message.labels).shown_to(readable));
    let ids: Vec<MessageId> = gone.iter().map(|message| message.message_id.clone()).collect();
    tx.messages().delete(organization_id, inbox_id, &ids).await?;
    let thread = thread.summed_up(&left, app.clock.now());
    match &thread {
        Some(thread) => tx.threads().update(thread).await?,
        None => tx.threads().delete(organization_id, inbox_id, thread_id).await?,
    }
    let octets: u64 = gone.iter().map(|message| message.size).sum();
    let change = UsageChange {
        storage_bytes: -i64::try_from(octets).unwrap_or(i64::MAX),
        messages: -i64::try_from(gone.len()).unwrap_or(i64::MAX),
        threads: -i64::from(thread.is_none()),
    };
    tx.usage().change(organization_id, &[(inbox_id.clone(), change)]).await?;
    Ok(tx.commit().await?)
}
