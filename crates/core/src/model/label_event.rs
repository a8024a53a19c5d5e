//! Label history of messages (`service.md`, section 2, Event).

use time::OffsetDateTime;

use super::{Actor, EventId, InboxId, MessageId, OrganizationId, PodId};

/// Kind of a label change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelEventType {
    /// A message gained the label.
    Added,
    /// A message lost the label.
    Removed,
}

impl LabelEventType {
    /// Returns the name in the API. It is no type of `GET /v0/events`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "label.added",
            Self::Removed => "label.removed",
        }
    }
}

/// A label change by a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEvent {
    /// Id, sortable by time.
    pub event_id: EventId,
    /// Kind of the change.
    pub event_type: LabelEventType,
    /// The owner.
    pub organization_id: OrganizationId,
    /// The pod of the inbox.
    pub pod_id: PodId,
    /// The inbox.
    pub inbox_id: InboxId,
    /// Message, which may be deleted by now.
    pub message_id: MessageId,
    /// The label.
    pub label: String,
    /// Author of the change.
    pub actor: Actor,
    /// Time of the change and of its record: both are one unit of work.
    pub event_at: OffsetDateTime,
}
