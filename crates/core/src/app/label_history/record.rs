//! Recording what a caller did to labels, in the unit of work that does it.

use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::App;
use crate::model::{Actor, Inbox, LabelEvent, LabelEventType, Labels, MessageId, MessageItem};
use crate::ports::{StoreError, Tx};
use crate::rules::labels::difference;

/// A message whose labels a caller has set.
pub(in crate::app) struct Relabelled {
    /// The message.
    pub(in crate::app) message_id: MessageId,
    /// Its labels before.
    pub(in crate::app) before: Labels,
    /// Its labels now.
    pub(in crate::app) after: Labels,
}

impl Relabelled {
    /// A message as it was and as it is.
    pub(in crate::app) fn of(before: &MessageItem, after: &MessageItem) -> Self {
        Self { message_id: after.message_id.clone(), before: before.labels.clone(), after: after.labels.clone() }
    }
}

/// Appends the events of [`history_of`].
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
        tx.label_history().append(&events, app.settings.row_limits.label_events).await
    }
}

/// An event for each label that a message really gained or lost. Their order is that of the messages, and of a message
/// first what it lost, then what it gained, each by name.
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
    // The ids of one millisecond are random behind their time. In order they keep that of the events.
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
