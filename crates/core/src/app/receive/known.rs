//! Existing messages that inbound mail may repeat or reply to, whether stored or in the same batch.

use std::collections::HashMap;

use crate::model::{InboxId, MessageId, ThreadId};
use crate::ports::KnownMessage;

/// Messages by id and by original Message-ID.
#[derive(Default)]
pub(super) struct Known(HashMap<InboxId, OfInbox>);

#[derive(Default)]
struct OfInbox {
    by_id: HashMap<MessageId, KnownMessage>,
    /// Messages by original Message-ID; of several with the same one, the newest.
    by_header: HashMap<MessageId, KnownMessage>,
}

impl Known {
    /// Adds messages.
    pub(super) fn extend(&mut self, messages: impl IntoIterator<Item = KnownMessage>) {
        for message in messages {
            let inbox = self.0.entry(message.inbox_id.clone()).or_default();
            if let Some(came_with) = &message.header_message_id
                && inbox.by_header.get(came_with).is_none_or(|other| other.timestamp <= message.timestamp)
            {
                inbox.by_header.insert(came_with.clone(), message.clone());
            }
            inbox.by_id.insert(message.message_id.clone(), message);
        }
    }

    /// Returns the digests of the messages that a mail with this Message-ID might repeat. These are the message with
    /// that id, the newest message that arrived with it, and the message with the replacement id of this mail.
    pub(super) fn possible_repeats(
        &self,
        inbox_id: &InboxId,
        came_with: &MessageId,
        other_id: &MessageId,
    ) -> Vec<Option<[u8; 32]>> {
        let Some(inbox) = self.0.get(inbox_id) else { return Vec::new() };
        let other = inbox.by_id.get(other_id).filter(|other| other.header_message_id.as_ref() == Some(came_with));
        let found = [inbox.by_id.get(came_with), inbox.by_header.get(came_with), other];
        found.into_iter().flatten().map(|message| message.digest).collect()
    }

    /// Returns the thread of the first existing message of a list. A message is found by its id, or by its original
    /// Message-ID if that was replaced.
    pub(super) fn thread_of_first(&self, inbox_id: &InboxId, message_ids: &[MessageId]) -> Option<ThreadId> {
        let inbox = self.0.get(inbox_id)?;
        let found = |id| inbox.by_id.get(id).or_else(|| inbox.by_header.get(id));
        message_ids.iter().find_map(found).map(|message| message.thread_id)
    }

    /// Returns whether one of these messages exists and was sent from the inbox.
    pub(super) fn any_sent(&self, inbox_id: &InboxId, message_ids: &[MessageId]) -> bool {
        let Some(inbox) = self.0.get(inbox_id) else { return false };
        message_ids.iter().filter_map(|id| inbox.by_id.get(id)).any(|message| message.was_sent)
    }
}
