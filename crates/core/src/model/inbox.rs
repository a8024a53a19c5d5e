//! Inboxes and their metadata.

use std::collections::BTreeMap;

use inboxd_mail::{EmailAddress, Mailbox};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::string_enum::string_enum;
use super::{InboxId, OrganizationId, PodId, QuarantineMode};

/// Key-value pairs that a caller stores with an inbox.
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

string_enum! {
    /// Activity of an inbox.
    InboxStatus {
        /// It sends and receives.
        Active = "active",
        /// It is paused: sends are refused, queued messages wait, and received ones are deferred.
        Paused = "paused",
    }
}

/// A mailbox with an address that sends and receives.
#[derive(Debug, Clone, PartialEq)]
pub struct Inbox {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Pod of the inbox.
    pub pod_id: PodId,
    /// Address of the inbox.
    pub inbox_id: InboxId,
    /// Display name in `From`.
    pub display_name: Option<String>,
    /// The caller's idempotency key of its creation.
    pub client_id: Option<String>,
    /// Metadata of the caller.
    pub metadata: Metadata,
    /// Time of the pause; `None` while active.
    pub paused_at: Option<OffsetDateTime>,
    /// Days after which its messages are deleted; `None` keeps them.
    pub retention_days: Option<u32>,
    /// Own quarantine of its received messages, beside those of the organization and the pod.
    pub quarantine: Option<QuarantineMode>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time of the last change.
    pub updated_at: OffsetDateTime,
}

impl Inbox {
    /// Returns whether the inbox is active.
    #[must_use]
    pub fn status(&self) -> InboxStatus {
        if self.paused_at.is_some() { InboxStatus::Paused } else { InboxStatus::Active }
    }

    /// Returns the mailbox in `From`; `None` only for an invalid address.
    #[must_use]
    pub fn mailbox(&self) -> Option<Mailbox> {
        let address: EmailAddress = self.inbox_id.as_str().parse().ok()?;
        Some(Mailbox { name: self.display_name.clone(), address })
    }
}
