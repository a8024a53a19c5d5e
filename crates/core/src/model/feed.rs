//! Feed: the events of an organization in one order for all readers.

use time::OffsetDateTime;

use super::{Event, EventType, InboxId, PodId};
use crate::rules::trust::{self, Verdict};

/// Position of an event in the feed of its organization.
///
/// It is assigned with the commit of the event or after it, so a reader of one position has missed no event before it.
/// Clients never see it: they use the event id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeedPosition {
    /// Time of assignment; never earlier than that of the position before.
    pub at: OffsetDateTime,
    /// Sequence number in the organization; the first is 1.
    pub position: i64,
}

impl FeedPosition {
    /// Position before all events.
    pub const START: Self = Self { at: OffsetDateTime::UNIX_EPOCH, position: 0 };
}

/// Filter by pods and inboxes; an event matches if it belongs to any of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeFilter {
    /// Pods, with all their inboxes.
    pub pod_ids: Vec<PodId>,
    /// Everything in these inboxes.
    pub inbox_ids: Vec<InboxId>,
}

impl ScopeFilter {
    /// Returns whether an event matches.
    #[must_use]
    pub fn holds(&self, event: &Event) -> bool {
        event.pod_id.is_some_and(|pod_id| self.pod_ids.contains(&pod_id))
            || event.inbox_id.as_ref().is_some_and(|inbox_id| self.inbox_ids.contains(inbox_id))
    }
}

/// Filter of the events that a reader receives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedSelection {
    /// Event types; empty selects all.
    pub event_types: Vec<EventType>,
    /// Verdicts of which received mail must have one; empty selects all.
    pub trust: Vec<Verdict>,
    /// Filters that must all match: the requested one and the scope of the reader.
    pub among: Vec<ScopeFilter>,
    /// Inclusive start.
    pub start: Option<OffsetDateTime>,
    /// Exclusive end.
    pub end: Option<OffsetDateTime>,
}

impl FeedSelection {
    /// Returns whether an event matches.
    #[must_use]
    pub fn selects(&self, event: &Event) -> bool {
        (self.event_types.is_empty() || self.event_types.contains(&event.event_type))
            && trust::passes(&self.trust, event.event_type, event.verdict())
            && self.among.iter().all(|among| among.holds(event))
            && self.start.is_none_or(|start| event.created_at >= start)
            && self.end.is_none_or(|end| event.created_at < end)
    }
}
