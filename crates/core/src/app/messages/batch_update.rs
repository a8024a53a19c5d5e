//! Label changes of one or more messages, in one unit of work.

use std::collections::{BTreeMap, BTreeSet};

use time::OffsetDateTime;

use super::batch_get::check_ids;
use crate::app::contention::{is_contention, retried};
use crate::app::label_history::{Relabelled, record};
use crate::app::{App, inboxes, threads};
use crate::model::{
    Caller, HidingLabels, Inbox, InboxId, MessageId, MessageItem, OrganizationId, Permission, Thread, ThreadId,
};
use crate::ports::{StoreError, Tx};
use crate::rules::access;
use crate::rules::labels::LabelChange;
use crate::{Error, Resource};

/// Maximum number of ids in one call (`wire.md`, section 3, Message item).
pub const MAX_BATCH_UPDATE_IDS: usize = 50;

/// Changes the labels of several messages. Unknown ids are skipped.
///
/// # Errors
/// [`Error::InboxOutOfScope`], [`Error::MissingPermission`], [`Error::Invalid`], [`Error::NotFound`] for the inbox.
pub async fn batch_update(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_ids: &[MessageId],
    change: &LabelChange,
) -> Result<Vec<MessageItem>, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageUpdate)?;
    check_ids(message_ids, MAX_BATCH_UPDATE_IDS)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    relabel(app, caller, &inbox, message_ids, change).await
}

/// Changes the labels of one message.
///
/// # Errors
/// As [`batch_update`], and [`Error::NotFound`] for the message.
pub async fn update(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_id: &MessageId,
    change: &LabelChange,
) -> Result<MessageItem, Error> {
    access::require_inbox(caller, inbox_id)?;
    access::require(caller, Permission::MessageUpdate)?;
    let inbox = inboxes::find(app, caller, inbox_id).await?;
    let updated = relabel(app, caller, &inbox, std::slice::from_ref(message_id), change).await?;
    updated.into_iter().next().ok_or_else(|| Error::not_found(Resource::Message, message_id))
}

async fn relabel(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    message_ids: &[MessageId],
    change: &LabelChange,
) -> Result<Vec<MessageItem>, Error> {
    retried(is_contention, || relabel_once(app, caller, inbox, message_ids, change)).await
}

async fn relabel_once(
    app: &App,
    caller: &Caller,
    inbox: &Inbox,
    message_ids: &[MessageId],
    change: &LabelChange,
) -> Result<Vec<MessageItem>, Error> {
    let Inbox { organization_id, inbox_id, .. } = inbox;
    let organization_id = *organization_id;
    let mut tx = app.store.begin().await?;
    let found = tx.messages().items(organization_id, inbox_id, message_ids).await?;
    let locked = lock_threads(tx.as_mut(), organization_id, inbox_id, &found).await?;
    // Read again under the locks: the labels may have changed before.
    let found = tx.messages().items(organization_id, inbox_id, message_ids).await?;
    let (readable, now) = (access::readable(caller), app.clock.now());
    let mut updated = BTreeMap::new();
    for thread in locked {
        let thread_id = thread.thread_id;
        let of_thread = found.iter().filter(move |message| {
            message.thread_id == thread_id && HidingLabels::of(&message.labels).shown_to(readable)
        });
        let relabelled = relabel_in(tx.as_mut(), thread, of_thread, change, now).await?;
        updated.extend(relabelled.into_iter().map(|message| (message.message_id.clone(), message)));
    }
    // The history follows the order of the request.
    let before = |id: &MessageId| found.iter().find(|message| message.message_id == *id);
    let relabelled: Vec<Relabelled> =
        message_ids.iter().filter_map(|id| Some(Relabelled::of(before(id)?, updated.get(id)?))).collect();
    record(app, tx.as_mut(), inbox, &caller.actor, &relabelled, now).await?;
    tx.commit().await?;
    // The result follows the order of the request.
    Ok(message_ids.iter().filter_map(|id| updated.remove(id)).collect())
}

/// Locks the threads of messages, which excludes concurrent changes of their labels.
pub(crate) async fn lock_threads(
    tx: &mut dyn Tx,
    organization_id: OrganizationId,
    inbox_id: &InboxId,
    messages: &[MessageItem],
) -> Result<Vec<Thread>, StoreError> {
    let ids: BTreeSet<ThreadId> = messages.iter().map(|message| message.thread_id).collect();
    let ids: Vec<ThreadId> = ids.into_iter().collect();
    tx.threads().lock(organization_id, inbox_id, &ids).await
}

/// Changes the labels of messages of one thread and returns their new state.
async fn relabel_in(
    tx: &mut dyn Tx,
    thread: Thread,
    messages: impl Iterator<Item = &MessageItem> + Send,
    change: &LabelChange,
    now: OffsetDateTime,
) -> Result<Vec<MessageItem>, Error> {
    let (mut answer, mut changed, mut hides) = (Vec::new(), Vec::new(), false);
    for message in messages {
        let labels = change.apply(&message.labels)?;
        if labels == message.labels {
            answer.push(message.clone());
            continue;
        }
        hides |= HidingLabels::of(&labels) != HidingLabels::of(&message.labels);
        changed.push(MessageItem { labels, updated_at: now, ..message.clone() });
    }
    if changed.is_empty() {
        return Ok(answer);
    }
    tx.messages().update_labels(&changed).await?;
    if let Some(thread) = thread_after(tx, thread, hides, now).await? {
        tx.threads().update(&[thread]).await?;
    }
    answer.extend(changed);
    Ok(answer)
}

/// Returns the thread after a label change.
///
/// Only a change of hidden messages requires a summary of all messages of the thread.
async fn thread_after(
    tx: &mut dyn Tx,
    thread: Thread,
    hides: bool,
    now: OffsetDateTime,
) -> Result<Option<Thread>, StoreError> {
    if hides {
        return threads::summed_up(tx, thread, now).await;
    }
    let labels = tx.messages().labels_of_thread(thread.organization_id, &thread.inbox_id, thread.thread_id).await?;
    Ok(Some(thread.relabelled(labels, now)))
}
