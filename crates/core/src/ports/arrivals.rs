//! Queries of the inbound pipeline.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{Acquaintances, Destination, ExcerptQuery, IntakeHold, StoreError};
use crate::model::{
    Contact, ContactKey, InboxId, ListExcerpt, MessageId, NewMessage, OrganizationId, QuarantineScopes, ThreadId,
};
use crate::rules::trust::History;

/// Key of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageKey {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The stored message id or the one in the received header.
    pub message_id: MessageId,
}

/// Query for the data needed to store an inbound message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrivalQuery {
    /// The recipient inboxes, each once.
    pub inboxes: Vec<Destination>,
    /// Messages that the inbound message can duplicate or reply to.
    pub messages: Vec<MessageKey>,
    /// Names to find in the lists of these inboxes.
    pub lists: ExcerptQuery,
    /// Senders to find among the contacts of these inboxes, each once.
    pub contacts: Vec<ContactKey>,
    /// Organizations whose acquaintances are requested.
    pub acquainted: Vec<OrganizationId>,
}

/// A stored message that an inbound message can duplicate or reply to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownMessage {
    /// Its inbox.
    pub inbox_id: InboxId,
    /// Its id.
    pub message_id: MessageId,
    /// The message id in the received header, if it differs.
    pub header_message_id: Option<MessageId>,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Its digest; `None` for sent messages.
    pub digest: Option<[u8; 32]>,
    /// Whether it was sent from the inbox.
    pub was_sent: bool,
    /// The time of reception or sending.
    pub timestamp: OffsetDateTime,
}

impl KnownMessage {
    /// Returns the summary of a message about to be stored.
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

/// Earlier mail of a sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderHistory {
    /// The sender as a contact of the recipient inbox.
    pub key: ContactKey,
    /// That contact, if it exists.
    pub contact: Option<Contact>,
    /// Mail of up to twenty other inboxes of the organization with the same address.
    pub elsewhere: History,
}

/// Result of an [`ArrivalQuery`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnArrival {
    /// The live inboxes, locked against deletion until the unit of work ends, as by
    /// [`InboxWrites::hold`](super::InboxWrites::hold).
    pub held: Vec<Destination>,
    /// The live inboxes that accept no messages now, with the reason.
    pub deferred: Vec<(InboxId, IntakeHold)>,
    /// The quarantine of the live inboxes, of each scope.
    pub quarantines: Vec<(InboxId, QuarantineScopes)>,
    /// The live messages with one of the stored ids, and the newest message per received header id.
    pub known: Vec<KnownMessage>,
    /// The matching entries of the lists; lists without entries are left out.
    pub excerpts: Vec<ListExcerpt>,
    /// The earlier mail of the requested senders, in any order; senders without any may be left out.
    pub senders: Vec<SenderHistory>,
    /// The acquaintances of the requested organizations; those without any may be left out.
    pub acquaintances: Vec<(OrganizationId, Acquaintances)>,
}

/// Queries of the inbound pipeline.
#[port]
pub trait InboundQueries: Send {
    /// Runs all queries in one round trip.
    async fn look_up(&mut self, query: &ArrivalQuery) -> Result<OnArrival, StoreError>;
}
