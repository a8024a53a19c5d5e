//! Contacts: correspondents of an inbox.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{InboxId, OrganizationId};

string_enum! {
    /// Decision of a person about a contact.
    ContactDecision {
        /// Its authenticated messages are trusted.
        Trusted = "trusted",
        /// Its messages get the label `blocked`.
        Blocked = "blocked",
    }
}

/// A correspondent of an inbox. Messages with a hiding label on receipt do not count, because their sender is unproved
/// or unwanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// The organization of the inbox.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Normalized address.
    pub address: String,
    /// Display name of the latest received message that had one.
    pub name: Option<String>,
    /// Decision of a person.
    pub decision: Option<ContactDecision>,
    /// Number of received messages.
    pub received_count: u64,
    /// Number of received messages whose sender domain was authenticated.
    pub authenticated_count: u64,
    /// Number of messages sent to the address.
    pub sent_count: u64,
    /// Time of the latest received message.
    pub received_at: Option<OffsetDateTime>,
    /// Time of the latest sent message.
    pub sent_at: Option<OffsetDateTime>,
    /// Time of the first message in either direction.
    pub created_at: OffsetDateTime,
    /// Time of the latest decision, or of creation.
    pub updated_at: OffsetDateTime,
}

impl Contact {
    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> ContactKey {
        let Self { organization_id, inbox_id, address, .. } = self;
        ContactKey { organization_id: *organization_id, inbox_id: inbox_id.clone(), address: address.clone() }
    }

    /// Returns whether a person blocked the contact.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.decision == Some(ContactDecision::Blocked)
    }
}

/// Key of a contact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// The organization of the inbox.
    pub organization_id: OrganizationId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Normalized address.
    pub address: String,
}

/// Messages that a contact has exchanged with an inbox in one unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactChange {
    /// The contact, which may be new.
    pub key: ContactKey,
    /// Display name of the latest received message that had one.
    pub name: Option<String>,
    /// Number of received messages.
    pub received: u32,
    /// Number of these whose sender domain was authenticated.
    pub authenticated: u32,
    /// Number of sent messages.
    pub sent: u32,
    /// Time of the latest of them.
    pub at: OffsetDateTime,
}

impl ContactChange {
    /// Returns the change of a received message.
    #[must_use]
    pub fn received(key: ContactKey, name: Option<String>, is_authenticated: bool, at: OffsetDateTime) -> Self {
        Self { key, name, received: 1, authenticated: u32::from(is_authenticated), sent: 0, at }
    }

    /// Returns the change of a sent message.
    #[must_use]
    pub fn sent(key: ContactKey, at: OffsetDateTime) -> Self {
        Self { key, name: None, received: 0, authenticated: 0, sent: 1, at }
    }
}

/// Changes of contacts in the order of their keys, each contact once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactChanges(BTreeMap<ContactKey, ContactChange>);

impl ContactChanges {
    /// Adds a change.
    pub fn add(&mut self, change: ContactChange) {
        let Some(sum) = self.0.get_mut(&change.key) else {
            self.0.insert(change.key.clone(), change);
            return;
        };
        sum.name = change.name.or(sum.name.take());
        sum.received += change.received;
        sum.authenticated += change.authenticated;
        sum.sent += change.sent;
        sum.at = sum.at.max(change.at);
    }

    /// Returns the number of received messages of a contact.
    #[must_use]
    pub fn received_from(&self, key: &ContactKey) -> u32 {
        self.0.get(key).map_or(0, |change| change.received)
    }

    /// Returns the changes.
    #[must_use]
    pub fn into_vec(self) -> Vec<ContactChange> {
        self.0.into_values().collect()
    }
}
