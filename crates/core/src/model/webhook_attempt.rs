//! Log of webhook deliveries.

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
    /// Type of the event.
    pub event_type: EventType,
    /// Status code of the response; `None` without a response.
    pub status_code: Option<u16>,
    /// Duration in milliseconds.
    pub duration_ms: u32,
    /// Beginning of the response after a failure: at most 1 KB.
    pub response_body: Option<String>,
    /// Reason of a missing response.
    pub error: Option<String>,
    /// Time of the attempt.
    pub attempted_at: OffsetDateTime,
    /// Time of the next attempt; `None` after a success and after the last attempt.
    pub next_attempt_at: Option<OffsetDateTime>,
}

impl WebhookAttempt {
    /// Returns whether the receiver accepted the event: each response but 2xx is a failure.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status_code.is_some_and(|status| (200..300).contains(&status))
    }
}
