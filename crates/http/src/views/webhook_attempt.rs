//! The log of deliveries to webhooks.

use inboxd_core::app::webhooks::Replayed;
use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// One attempt to deliver an event to a webhook.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
pub(crate) struct WebhookAttemptView {
    /// Its id.
    attempt_id: String,
    /// The webhook.
    webhook_id: String,
    /// The event; `webhook-id` of the delivery.
    event_id: String,
    /// Its kind.
    event_type: &'static str,
    /// What the receiver answered; absent where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// How long it took, in milliseconds.
    duration_ms: u32,
    /// How the receiver's answer begins, where the attempt failed: at most 1 KB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response_body: Option<String>,
    /// Why there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    attempted_at: String,
    /// When the next one is due; absent after a success and after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    next_attempt_at: Option<String>,
}

impl From<model::WebhookAttempt> for WebhookAttemptView {
    fn from(attempt: model::WebhookAttempt) -> Self {
        Self {
            attempt_id: attempt.attempt_id.to_string(),
            webhook_id: attempt.webhook_id.to_string(),
            event_id: attempt.event_id.to_string(),
            event_type: attempt.event_type.as_str(),
            status_code: attempt.status_code,
            duration_ms: attempt.duration_ms,
            response_body: attempt.response_body,
            error: attempt.error,
            attempted_at: format_time(attempt.attempted_at),
            next_attempt_at: attempt.next_attempt_at.map(format_time),
        }
    }
}

/// What came of a replay.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookReplay)]
pub(crate) struct WebhookReplayView {
    /// The webhook.
    webhook_id: String,
    /// How many deliveries were queued so far. What waits there already is not queued twice.
    queued: u64,
    /// Whether that is all. Otherwise the rest is queued as deliveries go out.
    complete: bool,
}

impl WebhookReplayView {
    pub(crate) fn new(webhook_id: model::WebhookId, replayed: Replayed) -> Self {
        Self { webhook_id: webhook_id.to_string(), queued: replayed.queued, complete: replayed.is_complete }
    }
}
