//! Allow and block lists of senders and recipients (`wire.md`, section 3, List entry).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{InboxId, OrganizationId, PodId};

string_enum! {
    /// Messages to which a list applies.
    ListDirection {
        /// Outgoing messages, by their recipients.
        Send = "send",
        /// Received messages, by their senders.
        Receive = "receive",
        /// Received replies to messages of the inbox, by their senders.
        Reply = "reply",
    }
}

string_enum! {
    /// Effect of a list on matching addresses.
    ListType {
        /// Only they pass.
        Allow = "allow",
        /// They do not pass.
        Block = "block",
    }
}

string_enum! {
    /// Kind of an entry.
    EntryType {
        /// One address.
        Email = "email",
        /// A domain and all its subdomains.
        Domain = "domain",
    }
}

/// Level of a list, which decides the messages that it covers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListLevel {
    /// All messages of the organization.
    Organization,
    /// The messages of all inboxes of a pod.
    Pod(PodId),
    /// The messages of one inbox.
    Inbox {
        /// The pod that the inbox belongs to.
        pod_id: PodId,
        /// The inbox.
        inbox_id: InboxId,
    },
}

impl ListLevel {
    /// Returns the levels that cover an inbox, the widest first.
    #[must_use]
    pub fn reaching(pod_id: PodId, inbox_id: &InboxId) -> [Self; 3] {
        [Self::Organization, Self::Pod(pod_id), Self::Inbox { pod_id, inbox_id: inbox_id.clone() }]
    }
}

/// One list; each level has six.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListKey {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Level of the list.
    pub level: ListLevel,
    /// Messages to which it applies.
    pub direction: ListDirection,
    /// Effect of the list.
    pub list_type: ListType,
}

/// Address or domain of an entry in its stored form; [`crate::rules::lists::parse_entry`] creates it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryName(String);

impl EntryName {
    /// Wraps a stored entry.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the address or domain.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the kind of the entry.
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
    /// Matched address or domain.
    pub entry: EntryName,
    /// Reason, as the author of the entry wrote it.
    pub reason: Option<String>,
    /// Whether the entry admits a sender only if authentication confirms the domain of From. Only entries of allow lists
    /// of received mail have this.
    pub require_authentication: bool,
    /// Whether the entry is a suppressed address, which callers cannot remove.
    pub read_only: bool,
    /// Time of creation.
    pub created_at: OffsetDateTime,
}

/// Matches of a lookup in one non-empty list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListExcerpt {
    /// The list.
    pub list: ListKey,
    /// Requested entries that the list contains; possibly none.
    pub entries: BTreeSet<String>,
    /// Of these entries, those that admit a sender only if authentication confirms the domain of From.
    pub authenticated: BTreeSet<String>,
}
