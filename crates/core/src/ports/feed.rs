//! The feed: sequencing of committed events and reads from a position.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{EventKey, StoreError, WholeEvent};
use crate::model::feed::{FeedPosition, FeedSelection};
use crate::model::{EventId, HidingLabels, OrganizationId};

/// Range of a feed to read and the parts of messages to include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedQuery {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The position before the first event.
    pub after: FeedPosition,
    /// The events to select.
    pub selection: FeedSelection,
    /// The maximum number of events to return.
    pub limit: u32,
    /// The maximum number of events to scan, selected or not.
    pub most: u32,
    /// Whether to include the messages of the events.
    pub with_mail: bool,
    /// Messages with other hiding labels than these are absent, as if deleted.
    pub readable: HidingLabels,
    /// Bodies above this number of bytes are left out.
    pub largest_body: u32,
}

/// A range of the feed.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedPage {
    /// The selected events with their positions, in order.
    pub events: Vec<(FeedPosition, WholeEvent)>,
    /// The last position scanned; a read from here skips no event.
    pub place: FeedPosition,
    /// Whether the feed had no more events at that time.
    pub is_end: bool,
}

/// Events of an organization that received positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequenced {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The sequenced events, in order and without a gap.
    pub placed: Vec<Placed>,
    /// Whether any of them needs a webhook delivery.
    pub has_deliveries: bool,
    /// Whether unsequenced events may remain.
    pub is_more: bool,
}

/// A sequenced event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its position.
    pub place: FeedPosition,
    /// Its key.
    pub event: EventKey,
}

/// Reads of the feed and the sequencing of committed events. A commit sequences its own events when it can; `sequence`
/// covers the rest.
#[port]
pub trait FeedReads {
    /// Assigns positions to the committed events of these organizations, at most some thousands each. Calls may run
    /// concurrently; one at a time locks an organization. Returns the organizations with new positions or remaining
    /// events. The same statement signals new positions to other processes that listen.
    async fn sequence(
        &self,
        organizations: &[OrganizationId],
        now: OffsetDateTime,
    ) -> Result<Vec<Sequenced>, StoreError>;

    /// Returns some organizations with committed, unsequenced events.
    async fn unsequenced(&self, limit: u32) -> Result<Vec<OrganizationId>, StoreError>;

    /// Returns the position of an event, once it has one.
    async fn feed_place(
        &self,
        organization_id: OrganizationId,
        event_id: EventId,
    ) -> Result<Option<FeedPosition>, StoreError>;

    /// Returns the last position of each organization.
    async fn feed_heads(
        &self,
        organizations: &[OrganizationId],
    ) -> Result<Vec<(OrganizationId, FeedPosition)>, StoreError>;

    /// Reads a range of the feed.
    async fn read_feed(&self, query: &FeedQuery) -> Result<FeedPage, StoreError>;
}
