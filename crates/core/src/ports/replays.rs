//! Replays of past events to webhooks.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{EventId, EventType, InboxId, OrganizationId, PodId, WebhookId};
use crate::rules::trust::Verdict;

/// An event as stored in the delivery queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedEvent {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Its id.
    pub event_id: EventId,
    /// Its type.
    pub event_type: EventType,
    /// The verdict of its received mail.
    pub verdict: Option<Verdict>,
    /// The pod of its subject.
    pub pod_id: Option<PodId>,
    /// The inbox.
    pub inbox_id: Option<InboxId>,
    /// The time of the event.
    pub created_at: OffsetDateTime,
    /// Its position in the feed.
    pub position: i64,
}

/// Time span of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySpan {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The start, inclusive.
    pub since: OffsetDateTime,
    /// The end, inclusive. Later events are delivered for the first time.
    pub until: OffsetDateTime,
}

/// Progress of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walked {
    /// The number of queued deliveries.
    pub queued: u64,
    /// Whether the replay is complete.
    pub is_end: bool,
}

/// Writes of replays. The lock order is webhooks, replays, deliveries.
#[port]
pub trait ReplayWrites: Send {
    /// Returns a sequenced event.
    async fn event(
        &mut self,
        organization_id: OrganizationId,
        event_id: EventId,
    ) -> Result<Option<QueuedEvent>, StoreError>;

    /// Queues an event for a webhook, behind events not yet delivered. Returns false when the event is already queued
    /// and about to be attempted.
    async fn queue(
        &mut self,
        webhook_id: WebhookId,
        event: &QueuedEvent,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Stores a replay. An unfinished replay of the same webhook is extended by it.
    async fn begin(&mut self, span: &ReplaySpan) -> Result<(), StoreError>;

    /// Locks and returns a replay to continue: its webhook is enabled and has fewer than `most_waiting` deliveries.
    /// Deletes replays of deleted webhooks.
    async fn next(
        &mut self,
        most_waiting: u32,
        now: OffsetDateTime,
    ) -> Result<Option<(OrganizationId, WebhookId)>, StoreError>;

    /// Scans up to `limit` more events of a replay, oldest first. Queues those that the webhook subscribes to.
    async fn walk(
        &mut self,
        organization_id: OrganizationId,
        webhook_id: WebhookId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<Walked, StoreError>;
}
