//! Facts about senders, which stand beside each message that a result shows.

use std::collections::BTreeMap;

use inboxd_core::Error;
use inboxd_core::app::messages;
use inboxd_core::model::{InboxId, Message, MessageId, MessageItem, MessageTrust, Page, Thread};
use inboxd_core::ports::WholeEvent;

use super::call::ToolContext;

/// Key of a message.
type MessageKey = (InboxId, MessageId);

/// A value that shows one message, such as a message, a thread with its newest one, or an event.
pub(super) trait ShowsMessage {
    /// Returns the key of the shown message; `None` where none is shown.
    fn shown(&self) -> Option<MessageKey>;
}

impl ShowsMessage for MessageItem {
    fn shown(&self) -> Option<MessageKey> {
        Some((self.inbox_id.clone(), self.message_id.clone()))
    }
}

impl ShowsMessage for Message {
    fn shown(&self) -> Option<MessageKey> {
        self.item.shown()
    }
}

impl ShowsMessage for Thread {
    fn shown(&self) -> Option<MessageKey> {
        Some((self.inbox_id.clone(), self.last_message_id.clone()))
    }
}

impl ShowsMessage for WholeEvent {
    fn shown(&self) -> Option<MessageKey> {
        self.record.mail.as_ref()?.0.shown()
    }
}

/// A value with the facts about the sender of the message that it shows; `None` without such a message.
pub(super) type Trusted<T> = (T, Option<MessageTrust>);

/// Adds the facts to each value.
///
/// # Errors
/// When the read fails.
pub(super) async fn with_trust<T: ShowsMessage>(
    context: &ToolContext,
    values: Vec<T>,
) -> Result<Vec<Trusted<T>>, Error> {
    let keys: Vec<MessageKey> = values.iter().filter_map(T::shown).collect();
    let found = messages::trust(context.app(), context.caller(), &keys).await?;
    let mut found: BTreeMap<MessageKey, MessageTrust> =
        found.into_iter().map(|trust| ((trust.inbox_id.clone(), trust.message_id.clone()), trust)).collect();
    let paired = |value: T| {
        let trust = value.shown().and_then(|key| found.remove(&key));
        (value, trust)
    };
    Ok(values.into_iter().map(paired).collect())
}

/// Adds the facts to each value of a page.
///
/// # Errors
/// When the read fails.
pub(super) async fn page_with_trust<T: ShowsMessage>(
    context: &ToolContext,
    page: Page<T>,
) -> Result<Page<Trusted<T>>, Error> {
    Ok(Page { items: with_trust(context, page.items).await?, next: page.next })
}
