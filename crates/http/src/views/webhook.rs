//! Webhooks.

use inboxd_core::app::webhooks::MadeWebhook;
use inboxd_core::model::{self, WebhookSecret};
use serde::Serialize;
use utoipa::ToSchema;

use super::subscription::SubscriptionScope;
use super::time::format_time;

/// Webhook: a URL that receives events.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    /// Id of the webhook.
    webhook_id: String,
    /// URL that events are sent to.
    url: String,
    /// Event types that are sent.
    event_types: Vec<&'static str>,
    /// Verdicts of which received messages must have one; absent if the events of all messages are sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    trust: Vec<&'static str>,
    /// Pods whose events are sent. If `pod_ids` and `inbox_ids` are absent, all events of the scope are sent; if both
    /// are empty, none are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_ids: Option<Vec<String>>,
    /// Inboxes whose events are sent.
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
    /// Secret that signs deliveries (`whsec_…`). It is empty except in the responses to creation and rotation.
    secret: String,
    /// Whether events are sent.
    enabled: bool,
    /// Time of the first failure since the last success. A webhook that fails for five days is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    failing_since: Option<String>,
    /// Idempotency key of the creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl WebhookView {
    /// Returns a webhook with its secret, for the response to creation or rotation.
    pub(crate) fn with_secret(webhook: model::Webhook, secret: &WebhookSecret) -> Self {
        Self { secret: secret.reveal(), ..webhook.into() }
    }
}

impl From<MadeWebhook> for WebhookView {
    fn from(MadeWebhook { webhook, secret }: MadeWebhook) -> Self {
        match secret {
            Some(secret) => Self::with_secret(webhook, &secret),
            None => webhook.into(),
        }
    }
}

impl From<model::Webhook> for WebhookView {
    fn from(webhook: model::Webhook) -> Self {
        let scope = SubscriptionScope::new(webhook.place, webhook.selection);
        Self {
            webhook_id: webhook.webhook_id.to_string(),
            url: webhook.url,
            event_types: webhook.event_types.iter().map(|kind| kind.as_str()).collect(),
            trust: webhook.trust.iter().map(|verdict| verdict.as_str()).collect(),
            pod_ids: scope.pod_ids,
            inbox_ids: scope.inbox_ids,
            pod_id: scope.pod_id,
            inbox_id: scope.inbox_id,
            secret: String::new(),
            enabled: webhook.enabled,
            failing_since: webhook.failing_since.map(format_time),
            client_id: webhook.client_id,
            created_at: format_time(webhook.created_at),
            updated_at: format_time(webhook.updated_at),
        }
    }
}

/// Names of the additional header fields of a webhook. Their values are never shown.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookHeaderNames {
    /// Names in their original letter case.
    pub(crate) header_names: Vec<String>,
}
