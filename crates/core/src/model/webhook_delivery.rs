//! Events on their way to webhooks.

use time::OffsetDateTime;
use uuid::Uuid;

use super::{EventId, EventType, OrganizationId, WebhookId};

/// An event that a webhook has not taken yet, in the hands of whoever claimed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// The owner of both.
    pub organization_id: OrganizationId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The event.
    pub event_id: EventId,
    /// Its kind.
    pub event_type: EventType,
    /// When it happened; with it the event is found.
    pub event_created_at: OffsetDateTime,
    /// Its place in the feed.
    pub position: i64,
    /// How many attempts have failed.
    pub failed: u32,
    /// The claim. When it has run out and somebody else has claimed the delivery, it is theirs.
    pub claim_id: Uuid,
    /// Whether nothing but failures came of the webhook of late.
    pub is_failing: bool,
}
