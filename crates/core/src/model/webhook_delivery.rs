//! Claimed deliveries of events to webhooks.

use time::OffsetDateTime;
use uuid::Uuid;

use super::{EventId, EventType, OrganizationId, WebhookId};

/// An undelivered event of a webhook with a worker's claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Owner of the webhook and event.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The event.
    pub event_id: EventId,
    /// Type of the event.
    pub event_type: EventType,
    /// Time of the event, by which it is found.
    pub event_created_at: OffsetDateTime,
    /// Position in the feed.
    pub position: i64,
    /// Number of failed attempts.
    pub failed: u32,
    /// Id of the claim. An expired claim can be replaced by that of another worker.
    pub claim_id: Uuid,
    /// Whether the webhook has a failure streak.
    pub is_failing: bool,
}
