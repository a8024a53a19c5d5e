//! The feed: the events of an organization in the one order in which every reader is told of them.

use time::OffsetDateTime;

use super::{Event, EventType, InboxId, PodId};

/// Where in the feed of its organization an event stands. It got its place with the commit of its unit of work or after it,
/// so that whoever has read up to a place has missed nothing before it. A client never sees one: it holds the event's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeedPlace {
    /// When it got its place; never earlier than the place before.
    pub at: OffsetDateTime,
    /// Its number in the organization; the first is 1.
    pub position: i64,
}

impl FeedPlace {
    /// Before every event.
    pub const START: Self = Self { at: OffsetDateTime::UNIX_EPOCH, position: 0 };
}

/// Events of any of these pods and inboxes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Among {
    /// Everything in these pods.
    pub pod_ids: Vec<PodId>,
    /// Everything in these inboxes.
    pub inbox_ids: Vec<InboxId>,
}

impl Among {
    /// Whether an event belongs to one of them.
    #[must_use]
    pub fn holds(&self, event: &Event) -> bool {
        event.pod_id.is_some_and(|pod_id| self.pod_ids.contains(&pod_id))
            || event.inbox_id.as_ref().is_some_and(|inbox_id| self.inbox_ids.contains(inbox_id))
    }
}

/// Which events of the feed a reader is told of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only those of one of these kinds; empty means all.
    pub event_types: Vec<EventType>,
    /// Only those that each of these holds: what the reader asked for, and what they reach.
    pub among: Vec<Among>,
    /// Not before this.
    pub start: Option<OffsetDateTime>,
    /// Before this.
    pub end: Option<OffsetDateTime>,
}

impl Selection {
    /// Whether an event is among them.
    #[must_use]
    pub fn selects(&self, event: &Event) -> bool {
        (self.event_types.is_empty() || self.event_types.contains(&event.event_type))
            && self.among.iter().all(|among| among.holds(event))
            && self.start.is_none_or(|start| event.created_at >= start)
            && self.end.is_none_or(|end| event.created_at < end)
    }
}
