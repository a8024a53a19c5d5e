//! A webhook.

use inboxd_core::app::webhooks::MadeWebhook;
use inboxd_core::model::{self, Reach, WebhookSecret};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// A webhook: who is told of events.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    /// Its id.
    webhook_id: String,
    /// Where events are sent.
    url: String,
    /// The kinds of events that it tells of.
    event_types: Vec<&'static str>,
    /// The pods that it listens to. Absent with `inbox_ids`, it listens to everything within its place; where both are
    /// there and empty, to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_ids: Option<Vec<String>>,
    /// The inboxes that it listens to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_ids: Option<Vec<String>>,
    /// The pod that it was made for, or whose inbox it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// The inbox that it was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// What signs its deliveries (`whsec_…`). Whole when it is made and when it is rotated, empty ever after.
    secret: String,
    /// Whether anything is sent.
    enabled: bool,
    /// When the run of failures began that no success has broken. A webhook that fails for five days is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    failing_since: Option<String>,
    /// The idempotency key of its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl WebhookView {
    /// A webhook with its secret, for the one answer that shows it.
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
        let (pod_id, inbox_id) = match webhook.place {
            Reach::Organization | Reach::Inboxes(_) => (None, None),
            Reach::Pod(pod_id) => (Some(pod_id.to_string()), None),
            Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.to_string()), Some(inbox_id.to_string())),
        };
        let selection = webhook.selection.map(|selection| {
            let pod_ids = selection.pod_ids.iter().map(ToString::to_string).collect();
            (pod_ids, selection.inbox_ids.iter().map(ToString::to_string).collect())
        });
        let (pod_ids, inbox_ids) = selection.unzip();
        Self {
            webhook_id: webhook.webhook_id.to_string(),
            url: webhook.url,
            event_types: webhook.event_types.iter().map(|kind| kind.as_str()).collect(),
            pod_ids,
            inbox_ids,
            pod_id,
            inbox_id,
            secret: String::new(),
            enabled: webhook.enabled,
            failing_since: webhook.failing_since.map(format_time),
            client_id: webhook.client_id,
            created_at: format_time(webhook.created_at),
            updated_at: format_time(webhook.updated_at),
        }
    }
}

/// The header fields that a webhook sends along, without their values, which are never shown.
#[derive(Serialize, ToSchema)]
pub(crate) struct WebhookHeaderNames {
    /// Their names, as they were given.
    pub(crate) header_names: Vec<String>,
}
