//! Polling webhooks.

use inboxd_core::model::{PollingToken, PollingWebhook};
use serde::Serialize;
use utoipa::ToSchema;

use super::subscription::SubscriptionScope;
use super::time::format_time;

/// Polling webhook: a subscription whose events are read with a token.
#[derive(Serialize, ToSchema)]
#[schema(as = PollingWebhook)]
pub(crate) struct PollingWebhookView {
    /// Id of the polling webhook.
    webhook_id: String,
    /// Name of the subscription.
    client_id: String,
    /// Event types that are read.
    event_types: Vec<&'static str>,
    /// Pods whose events are read. If `pod_ids` and `inbox_ids` are absent, all events of the scope are read; if both are
    /// empty, none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_ids: Option<Vec<String>>,
    /// Inboxes whose events are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_ids: Option<Vec<String>>,
    /// Pod of the scope, or pod of the inbox of the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// Inbox of the scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

/// Polling webhook with the token that reads it.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedPollingWebhook {
    #[serde(flatten)]
    webhook: PollingWebhookView,
    /// Token that reads the events. Only this response contains it.
    #[schema(example = "poll_…")]
    token: String,
}

impl CreatedPollingWebhook {
    pub(crate) fn new(webhook: PollingWebhook, token: &PollingToken) -> Self {
        Self { webhook: webhook.into(), token: token.reveal().to_owned() }
    }
}

impl From<PollingWebhook> for PollingWebhookView {
    fn from(webhook: PollingWebhook) -> Self {
        let scope = SubscriptionScope::new(webhook.place, webhook.selection);
        Self {
            webhook_id: webhook.webhook_id.to_string(),
            client_id: webhook.client_id,
            event_types: webhook.event_types.iter().map(|kind| kind.as_str()).collect(),
            pod_ids: scope.pod_ids,
            inbox_ids: scope.inbox_ids,
            pod_id: scope.pod_id,
            inbox_id: scope.inbox_id,
            created_at: format_time(webhook.created_at),
            updated_at: format_time(webhook.updated_at),
        }
    }
}
