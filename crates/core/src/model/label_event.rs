//! What callers did to the labels of messages (`service.md`, section 2, Event).

use time::OffsetDateTime;

use super::{Actor, EventId, InboxId, MessageId, OrganizationId, PodId};

/// What became of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelEventType {
    /// The message gained it.
    Added,
    /// The message lost it.
    Removed,
}

impl LabelEventType {
    /// The name on the wire. It is none of the types of `GET /v0/events`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "label.added",
            Self::Removed => "label.removed",
        }
    }
}

/// A label that somebody gave to a message, or took from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEvent {
    /// Its id, sortable by time.
    pub event_id: EventId,
    /// What became of the label.
    pub event_type: LabelEventType,
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod of the inbox.
    pub pod_id: PodId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// The message, which may be gone by now.
    pub message_id: MessageId,
    /// The label.
    pub label: String,
    /// Who did it.
    pub actor: Actor,
    /// When it was done, which is when it was recorded: both are one unit of work.
    pub event_at: OffsetDateTime,
}
