//! Labels of sent messages that show their delivery outcomes.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use crate::model::outgoing::SentMessage;
use crate::model::{InboxId, MessageItem, OrganizationId, Thread, ThreadId};
use crate::ports::{StoreError, Tx};

/// Labels to add to a message.
pub(in crate::app) struct Labelling<'a> {
    /// The message.
    pub(in crate::app) message: &'a SentMessage,
    /// Labels to add; may be empty.
    pub(in crate::app) labels: Vec<&'a str>,
}

/// Adds labels to those sent messages that still exist, and to their threads, which the caller has locked.
pub(in crate::app) async fn label(
    tx: &mut dyn Tx,
    threads: Vec<Thread>,
    labellings: &[Labelling<'_>],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let mut threads: BTreeMap<ThreadId, Thread> =
        threads.into_iter().map(|thread| (thread.thread_id, Thread { updated_at: now, ..thread })).collect();
    let mut of_inboxes: BTreeMap<(&InboxId, OrganizationId), Vec<&Labelling<'_>>> = BTreeMap::new();
    for labelling in labellings.iter().filter(|labelling| !labelling.labels.is_empty()) {
        let SentMessage { inbox_id, thread_id, .. } = labelling.message;
        if let Some(thread) = threads.get(thread_id) {
            of_inboxes.entry((inbox_id, thread.organization_id)).or_default().push(labelling);
        }
    }
    let (mut messages, mut changed) = (Vec::new(), BTreeMap::new());
    for ((inbox_id, organization_id), labellings) in of_inboxes {
        let message_ids: Vec<_> = labellings.iter().map(|labelling| labelling.message.message_id.clone()).collect();
        for item in tx.messages().items(organization_id, inbox_id, &message_ids).await? {
            messages.push(labelled(&item, &labellings, &mut threads, now));
            changed.extend(threads.get(&item.thread_id).map(|thread| (thread.thread_id, thread.clone())));
        }
    }
    if !messages.is_empty() {
        tx.messages().update_labels(&messages).await?;
    }
    let changed: Vec<Thread> = changed.into_values().collect();
    if changed.is_empty() { Ok(()) } else { tx.threads().update(&changed).await }
}

/// Returns a message with its new labels, and adds them to its thread.
fn labelled(
    item: &MessageItem,
    labellings: &[&Labelling<'_>],
    threads: &mut BTreeMap<ThreadId, Thread>,
    now: OffsetDateTime,
) -> MessageItem {
    let mut labelled = MessageItem { updated_at: now, ..item.clone() };
    for labelling in labellings.iter().filter(|labelling| labelling.message.message_id == item.message_id) {
        for label in &labelling.labels {
            labelled.labels.insert(*label);
            if let Some(thread) = threads.get_mut(&labelling.message.thread_id) {
                thread.labels.insert(*label);
            }
        }
    }
    labelled
}
