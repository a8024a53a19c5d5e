//! An address and what belongs to it.

use std::collections::BTreeMap;

use inboxd_mail::{EmailAddress, Mailbox};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::words::words;
use super::{InboxId, OrganizationId, PodId};

/// Pairs that the caller keeps with an inbox.
pub type Metadata = BTreeMap<String, MetadataValue>;

/// A value in [`Metadata`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MetadataValue {
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(serde_json::Number),
    /// A string.
    String(String),
}

words! {
    /// Whether an inbox sends and receives.
    InboxStatus {
        /// It does.
        Active = "active",
        /// It does not: sends are refused, queued mail waits, and incoming mail is deferred.
        Paused = "paused",
    }
}

/// A real mailbox: an address that sends and receives.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbox {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod it belongs to.
    pub pod_id: PodId,
    /// Its address.
    pub inbox_id: InboxId,
    /// The name that stands before the address in `From`.
    pub display_name: Option<String>,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// The caller's own pairs.
    pub metadata: Metadata,
    /// When it was paused; `None` while it sends and receives.
    pub paused_at: Option<OffsetDateTime>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
}

impl Inbox {
    /// Returns whether it sends and receives.
    #[must_use]
    pub fn status(&self) -> InboxStatus {
        if self.paused_at.is_some() { InboxStatus::Paused } else { InboxStatus::Active }
    }

    /// How the inbox names itself in `From`; `None` only for an address that could never have been minted.
    #[must_use]
    pub fn mailbox(&self) -> Option<Mailbox> {
        let address: EmailAddress = self.inbox_id.as_str().parse().ok()?;
        Some(Mailbox { name: self.display_name.clone(), address })
    }
}
