//! History records of label changes, in the unit of work of the change.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::App;
use crate::model::{Actor, Inbox, LabelEvent, LabelEventType, Labels, MessageId, MessageItem};
use crate::ports::{StoreError, Tx};
use crate::rules::labels::difference;

/// Message with its labels before and after a change.
pub(in crate::app) struct Relabelled {
    /// The id of the message.
    pub(in crate::app) message_id: MessageId,
    /// The labels before the change.
    pub(in crate::app) before: Labels,
    /// The labels after the change.
    pub(in crate::app) after: Labels,
}

impl Relabelled {
    /// Compares a message before and after its change.
    pub(in crate::app) fn of(before: &MessageItem, after: &MessageItem) -> Self {
        Self { message_id: after.message_id.clone(), before: before.labels.clone(), after: after.labels.clone() }
    }
}

/// Appends the events of [`history_of`] to the history.
pub(in crate::app) async fn record(
    app: &App,
    tx: &mut dyn Tx,
    inbox: &Inbox,
    actor: &Actor,
    relabelled: &[Relabelled],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let events = history_of(app, inbox, actor, relabelled, now);
    if events.is_empty() {
        Ok(())
    } else {
        tx.label_history().append(&events, app.settings.limits.get().rows.label_events).await
    }
}

/// Returns an event for each label that a message gained or lost.
///
/// The events follow the order of the messages. Each message first lists its lost labels, then its gained labels,
/// both by name.
pub(in crate::app) fn history_of(
    app: &App,
    inbox: &Inbox,
    actor: &Actor,
    relabelled: &[Relabelled],
    now: OffsetDateTime,
) -> Vec<LabelEvent> {
    let mut done = Vec::new();
    for Relabelled { message_id, before, after } in relabelled {
        let lost = difference(before, after).map(|label| (LabelEventType::Removed, label));
        let gained = difference(after, before).map(|label| (LabelEventType::Added, label));
        done.extend(lost.chain(gained).map(|(event_type, label)| (message_id, event_type, label)));
    }
    let mut ids: Vec<Uuid> = done.iter().map(|_| app.random.uuid_at(now)).collect();
    // Ids of the same millisecond are random after their time. Sorted ids preserve the order of the events.
    ids.sort_unstable();
    ids.into_iter()
        .zip(done)
        .map(|(id, (message_id, event_type, label))| LabelEvent {
            event_id: id.into(),
            event_type,
            organization_id: inbox.organization_id,
            pod_id: inbox.pod_id,
            inbox_id: inbox.inbox_id.clone(),
            message_id: message_id.clone(),
            label: label.to_owned(),
            actor: actor.clone(),
            event_at: now,
        })
        .collect()
}
