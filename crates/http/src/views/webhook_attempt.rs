//! Log of webhook deliveries.

use inboxd_core::app::webhooks::Replayed;
use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// Attempt to deliver an event to a webhook.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
pub(crate) struct WebhookAttemptView {
    /// Id of the attempt.
    attempt_id: String,
    /// Id of the webhook.
    webhook_id: String,
    /// Id of the event, sent as `webhook-id`.
    event_id: String,
    /// Type of the event.
    event_type: &'static str,
    /// Status code of the response; absent without a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 100, maximum = 999)]
    status_code: Option<u16>,
    /// Duration in milliseconds.
    duration_ms: u32,
    /// Beginning of the response body of a failed attempt, at most 1 KB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    response_body: Option<String>,
    /// Reason why there was no response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// Time of the attempt.
    #[schema(format = DateTime)]
    attempted_at: String,
    /// Time of the next attempt; absent after a success and after the last attempt.
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

/// Result of a replay.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookReplay)]
pub(crate) struct WebhookReplayView {
    /// Id of the webhook.
    webhook_id: String,
    /// Number of deliveries queued so far. Deliveries that are queued already are not queued twice.
    queued: u64,
    /// Whether all deliveries are queued. Otherwise the rest is queued while deliveries proceed.
    complete: bool,
}

impl WebhookReplayView {
    pub(crate) fn new(webhook_id: model::WebhookId, replayed: Replayed) -> Self {
        Self { webhook_id: webhook_id.to_string(), queued: replayed.queued, complete: replayed.is_complete }
    }
}
