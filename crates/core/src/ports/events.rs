//! The record of what happened.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{StoreError, WholeEvent};
use crate::model::{Event, EventType, HidingLabels, InboxId, OrganizationId, Page, PageRequest, PodId};

/// Which events to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// Only those of this pod.
    pub pod_id: Option<PodId>,
    /// Only those of this inbox.
    pub inbox_id: Option<InboxId>,
    /// Only those of one of these kinds; empty means all.
    pub event_types: Vec<EventType>,
    /// Not before this.
    pub start: OffsetDateTime,
    /// Before this.
    pub end: OffsetDateTime,
    /// Whether the mail that the events are about is read with them.
    pub with_mail: bool,
    /// Mail with other hiding labels than these is left out of the answer, as if it had been deleted.
    pub readable: HidingLabels,
    /// Bodies larger than this many octets are left out of the answer.
    pub largest_body: u32,
    /// Which page; ordered by the time of the event.
    pub page: PageRequest,
}

/// Questions about events.
#[port]
pub trait EventReads {
    /// A page of events, with the mail that they are about and the names of what was too large.
    async fn list_events(&self, query: &EventQuery) -> Result<Page<WholeEvent>, StoreError>;
}

/// Changes of the record: it only grows.
#[port]
pub trait EventWrites: Send {
    /// Appends events, with the commit.
    async fn append(&mut self, events: &[Event]) -> Result<(), StoreError>;
}
