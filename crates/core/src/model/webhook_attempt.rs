//! The log of deliveries to webhooks.

use time::OffsetDateTime;

use super::{AttemptId, EventId, EventType, OrganizationId, WebhookId};

/// One attempt to deliver an event to a webhook (`wire.md`, section 3, Webhook).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAttempt {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Its id.
    pub attempt_id: AttemptId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The event.
    pub event_id: EventId,
    /// Its kind.
    pub event_type: EventType,
    /// What the receiver answered; `None` where it did not.
    pub status_code: Option<u16>,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
    /// How the receiver's answer begins, where the attempt failed: at most 1 KB.
    pub response_body: Option<String>,
    /// Why there was no answer.
    pub error: Option<String>,
    /// When it was made.
    pub attempted_at: OffsetDateTime,
    /// When the next one is due; `None` after a success and after the last.
    pub next_attempt_at: Option<OffsetDateTime>,
}

impl WebhookAttempt {
    /// Whether the webhook took the event: any answer but 2xx is a failure.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status_code.is_some_and(|status| (200..300).contains(&status))
    }
}
