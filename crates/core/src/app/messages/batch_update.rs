//! Labelling messages: all of them, or none.

use std::collections::{BTreeMap, BTreeSet};

use time::OffsetDateTime;

use super::batch_get::check_ids;
use crate::app::contention::{is_contention, retried};
use crate::app::{App, inboxes};
use crate::model::{Caller, Hidden, InboxId, MessageId, MessageItem, OrganizationId, Permission, Thread, ThreadId};
use crate::ports::{StoreError, Tx};
use crate::rules::access;
use crate::rules::labels::LabelChange;
use crate::{Error, Resource};

/// The most ids of one call (`wire.md`, section 3, Message item).
pub const MOST_IN_BATCH_UPDATE: usize = 50;

/// Labels many messages at once; unknown ids are skipped.
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
    check_ids(message_ids, MOST_IN_BATCH_UPDATE)?;
    inboxes::find(app, caller, inbox_id).await?;
    relabel(app, caller, inbox_id, message_ids, change).await
}

/// Labels one message.
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
    inboxes::find(app, caller, inbox_id).await?;
    let updated = relabel(app, caller, inbox_id, std::slice::from_ref(message_id), change).await?;
    updated.into_iter().next().ok_or_else(|| Error::not_found(Resource::Message, message_id))
}

async fn relabel(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_ids: &[MessageId],
    change: &LabelChange,
) -> Result<Vec<MessageItem>, Error> {
    retried(is_contention, || relabel_once(app, caller, inbox_id, message_ids, change)).await
}

async fn relabel_once(
    app: &App,
    caller: &Caller,
    inbox_id: &InboxId,
    message_ids: &[MessageId],
    change: &LabelChange,
) -> Result<Vec<MessageItem>, Error> {
    let organization_id = caller.organization.organization_id;
    let mut tx = app.store.begin().await?;
    let found = tx.messages().items(organization_id, inbox_id, message_ids).await?;
    let threads = lock_threads(tx.as_mut(), organization_id, inbox_id, &found).await?;
    let (readable, now) = (access::readable(caller), app.clock.now());
    let updated = relabel_in(tx.as_mut(), message_ids, change, readable, now, threads).await?;
    tx.commit().await?;
    Ok(updated)
}

/// Locks the threads of messages; under these locks nobody else changes their labels.
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

async fn relabel_in(
    tx: &mut dyn Tx,
    message_ids: &[MessageId],
    change: &LabelChange,
    readable: Hidden,
    now: OffsetDateTime,
    threads: Vec<Thread>,
) -> Result<Vec<MessageItem>, Error> {
    let mut updated = BTreeMap::new();
    for thread in threads {
        let Thread { organization_id, inbox_id, thread_id, .. } = thread.clone();
        let mut messages = tx.messages().of_thread(organization_id, &inbox_id, thread_id).await?;
        let mut changed = false;
        for message in &mut messages {
            let is_meant = message_ids.contains(&message.message_id);
            if !is_meant || !Hidden::of(&message.labels).shown_to(readable) {
                continue;
            }
            let labels = change.apply(&message.labels)?;
            if labels != message.labels {
                changed = true;
                message.labels = labels;
                message.updated_at = now;
                tx.messages().update_labels(message).await?;
            }
            updated.insert(message.message_id.clone(), message.clone());
        }
        if changed && let Some(thread) = thread.summed_up(&messages, now) {
            tx.threads().update(&thread).await?;
        }
    }
    // In the order of the request.
    Ok(message_ids.iter().filter_map(|id| updated.remove(id)).collect())
}
