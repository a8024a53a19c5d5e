//! The feed: giving committed events their places, and reading on from one.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::{EventKey, StoreError, WholeEvent};
use crate::model::feed::{FeedPosition, FeedSelection};
use crate::model::{EventId, HidingLabels, OrganizationId};

/// Which stretch of a feed to read, and how much of the mail with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedQuery {
    /// Whose.
    pub organization_id: OrganizationId,
    /// What stands behind this place.
    pub after: FeedPosition,
    /// Which of them.
    pub selection: FeedSelection,
    /// The most events to answer.
    pub limit: u32,
    /// The most events to look at, selected or not.
    pub most: u32,
    /// Whether the mail that the events are about is read with them.
    pub with_mail: bool,
    /// Mail with other hiding labels than these is left out of the answer, as if it had been deleted.
    pub readable: HidingLabels,
    /// Bodies larger than this many octets are left out of the answer.
    pub largest_body: u32,
}

/// A stretch of the feed.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedPage {
    /// The selected events, in order, each with its place.
    pub events: Vec<(FeedPosition, WholeEvent)>,
    /// How far was looked: whoever goes on from here misses none.
    pub place: FeedPosition,
    /// Whether there was nothing more at that moment.
    pub is_end: bool,
}

/// What was given places in an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequenced {
    /// The organization.
    pub organization_id: OrganizationId,
    /// What got its place, in order; none stands between two of them.
    pub placed: Vec<Placed>,
    /// Whether any of it is for webhooks.
    pub has_deliveries: bool,
    /// Whether there may be more without a place.
    pub is_more: bool,
}

/// An event that got its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its place.
    pub place: FeedPosition,
    /// Where it is found.
    pub event: EventKey,
}

/// Questions about the feed, and the act that gives places to what was committed without; a commit gives them too
/// where it can. Each is complete in itself.
#[port]
pub trait FeedReads {
    /// Gives the committed events of these organizations their places, at most some thousands of each. Any number may do
    /// so at once: one at a time gets to an organization. Answers the organizations that have new places, or more to place;
    /// other processes, where any listen, are told of those with new places by the same act.
    async fn sequence(
        &self,
        organizations: &[OrganizationId],
        now: OffsetDateTime,
    ) -> Result<Vec<Sequenced>, StoreError>;

    /// Some of the organizations that have committed events without a place.
    async fn unsequenced(&self, limit: u32) -> Result<Vec<OrganizationId>, StoreError>;

    /// The place of an event, once it has one.
    async fn feed_place(
        &self,
        organization_id: OrganizationId,
        event_id: EventId,
    ) -> Result<Option<FeedPosition>, StoreError>;

    /// The last place of each of these organizations.
    async fn feed_heads(
        &self,
        organizations: &[OrganizationId],
    ) -> Result<Vec<(OrganizationId, FeedPosition)>, StoreError>;

    /// Reads on from a place.
    async fn read_feed(&self, query: &FeedQuery) -> Result<FeedPage, StoreError>;
}
