//! Allow and block lists of senders and recipients (`wire.md`, section 3, List entry).

use std::collections::BTreeSet;

use time::OffsetDateTime;

use super::words::words;
use super::{InboxId, OrganizationId, PodId};

words! {
    /// Which mail a list is about.
    ListDirection {
        /// Mail that leaves, by its recipients.
        Send = "send",
        /// Mail that comes in, by its senders.
        Receive = "receive",
        /// Mail that comes in and answers mail of ours, by its senders.
        Reply = "reply",
    }
}

words! {
    /// What a list does with those on it.
    ListType {
        /// Nobody else passes.
        Allow = "allow",
        /// They do not pass.
        Block = "block",
    }
}

words! {
    /// What an entry names.
    EntryType {
        /// One address.
        Email = "email",
        /// A domain and all its subdomains.
        Domain = "domain",
    }
}

/// Whose list it is, and so which mail it reaches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListLevel {
    /// All mail of the organization.
    Organization,
    /// The mail of a pod's inboxes.
    Pod(PodId),
    /// The mail of one inbox.
    Inbox {
        /// The pod that the inbox belongs to.
        pod_id: PodId,
        /// The inbox.
        inbox_id: InboxId,
    },
}

impl ListLevel {
    /// The levels that reach an inbox, the widest first.
    #[must_use]
    pub fn reaching(pod_id: PodId, inbox_id: &InboxId) -> [Self; 3] {
        [Self::Organization, Self::Pod(pod_id), Self::Inbox { pod_id, inbox_id: inbox_id.clone() }]
    }
}

/// One list: there are six at each level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListKey {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its level.
    pub level: ListLevel,
    /// Which mail it is about.
    pub direction: ListDirection,
    /// What it does.
    pub list_type: ListType,
}

/// What an entry names, in the one form in which it is stored and compared; [`crate::rules::lists::entry`] makes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryName(String);

impl EntryName {
    /// The entry as storage holds it.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// An address, or a domain.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Which of the two.
    #[must_use]
    pub fn entry_type(&self) -> EntryType {
        if self.0.contains('@') { EntryType::Email } else { EntryType::Domain }
    }
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEntry {
    /// The list.
    pub list: ListKey,
    /// Whom it names.
    pub entry: EntryName,
    /// Why, in the words of whoever made it.
    pub reason: Option<String>,
    /// Whether it is a suppressed address, which nobody can take from the list.
    pub read_only: bool,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

/// What a list that is not empty holds of the entries that were asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListExcerpt {
    /// The list.
    pub list: ListKey,
    /// Those of the asked entries that are on it; perhaps none.
    pub entries: BTreeSet<String>,
}
