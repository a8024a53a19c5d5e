//! Queueing events for a webhook again.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{EventId, EventType, InboxId, OrganizationId, PodId, WebhookId};

/// An event as the queue knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedEvent {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub event_id: EventId,
    /// Its kind.
    pub event_type: EventType,
    /// The pod of what it is about.
    pub pod_id: Option<PodId>,
    /// The inbox.
    pub inbox_id: Option<InboxId>,
    /// When it happened.
    pub created_at: OffsetDateTime,
    /// Its place in the feed.
    pub position: i64,
}

/// What a webhook is to be told again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySpan {
    /// The owner.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// Everything that happened from this moment on.
    pub since: OffsetDateTime,
    /// Up to this one, included. What comes later is told for the first time.
    pub until: OffsetDateTime,
}

/// How far a replay came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// How many deliveries were queued.
    pub queued: u64,
    /// Whether the replay is complete.
    pub is_end: bool,
}

/// Changes of replays. Webhooks come before replays in the order of locks, and replays before deliveries.
#[port]
pub trait ReplayWrites: Send {
    /// An event that has its place in the feed.
    async fn event(
        &mut self,
        organization_id: OrganizationId,
        event_id: EventId,
    ) -> Result<Option<QueuedEvent>, StoreError>;

    /// Queues an event for a webhook, behind what it was never told. Answers false where it waits there already and is
    /// about to be tried.
    async fn queue(
        &mut self,
        webhook_id: WebhookId,
        event: &QueuedEvent,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Notes a replay. One of the same webhook that is not complete grows by it.
    async fn begin(&mut self, span: &ReplaySpan) -> Result<(), StoreError>;

    /// Chooses a replay that can go on, and locks it: of a webhook that is enabled and for which fewer deliveries wait
    /// than this. Those of webhooks that are gone are forgotten.
    async fn next(
        &mut self,
        most_waiting: u32,
        now: OffsetDateTime,
    ) -> Result<Option<(OrganizationId, WebhookId)>, StoreError>;

    /// Looks at up to `limit` more events of a replay, the oldest first, and queues those that the webhook hears of.
    async fn walk(
        &mut self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<Walked, StoreError>;
}
