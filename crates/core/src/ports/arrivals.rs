//! What arriving mail asks of storage.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{Destination, ExcerptQuery, IntakeHold, StoreError};
use crate::model::{InboxId, ListExcerpt, MessageId, NewMessage, OrganizationId, ThreadId};

/// A message, as mail names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageKey {
    /// Whose.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Its id, or the one it came with.
    pub message_id: MessageId,
}

/// What a unit of work that stores arriving mail has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrivalQuery {
    /// The inboxes that the mail is for, each once.
    pub inboxes: Vec<Destination>,
    /// Messages that it may repeat or answer.
    pub messages: Vec<MessageKey>,
    /// What to look for in the lists of these inboxes.
    pub lists: ExcerptQuery,
}

/// A message that mail may repeat or answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMessage {
    /// Its inbox.
    pub inbox_id: InboxId,
    /// Its id.
    pub message_id: MessageId,
    /// The id it came with, where that is another.
    pub header_message_id: Option<MessageId>,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its digest; `None` for mail that was sent from here.
    pub digest: Option<[u8; 32]>,
    /// Whether it was sent from the inbox.
    pub was_sent: bool,
    /// When it came or was sent.
    pub timestamp: OffsetDateTime,
}

impl KnownMessage {
    /// What is known of a message that is about to be stored.
    #[must_use]
    pub fn of(new: &NewMessage) -> Self {
        let item = &new.message.item;
        Self {
            inbox_id: item.inbox_id.clone(),
            message_id: item.message_id.clone(),
            header_message_id: new.header_message_id.clone(),
            thread_id: item.thread_id,
            digest: new.digest,
            was_sent: item.labels.contains("sent"),
            timestamp: item.timestamp,
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnArrival {
    /// Which of the inboxes live. They are kept from being deleted until the unit of work ends, as by
    /// [`InboxWrites::hold`](super::InboxWrites::hold).
    pub held: Vec<Destination>,
    /// Which of those take no mail at the moment, and why.
    pub deferred: Vec<(InboxId, IntakeHold)>,
    /// The live messages that have one of the ids, and the newest of those that came with it.
    pub known: Vec<KnownMessage>,
    /// What the lists hold of the names; a list that is empty is left out.
    pub excerpts: Vec<ListExcerpt>,
}

/// Looking up what arriving mail asks.
#[port]
pub trait InboundQueries: Send {
    /// Looks up everything at once.
    async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError>;
}
