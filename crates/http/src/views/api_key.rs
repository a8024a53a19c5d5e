//! API keys.

use std::collections::BTreeMap;

use ::time::OffsetDateTime;
use inboxd_core::app::api_keys::MadeKey;
use inboxd_core::model::{self, Reach};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// API key. Only the response to its creation contains the key itself.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub(crate) struct ApiKeyView {
    /// Always `bearer`.
    r#type: &'static str,
    /// Id of the API key.
    api_key_id: String,
    /// First twelve characters of the key.
    prefix: String,
    /// Display name.
    name: String,
    /// `active` or `expired`.
    status: &'static str,
    /// Id of the pod that the key is limited to, or of the pod of its inbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// Id of the inbox that the key is limited to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// Permissions by name. Without a map the key holds every permission that its scope allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    permissions: Option<BTreeMap<String, bool>>,
    /// Time of the last use, accurate to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    used_at: Option<String>,
    /// Expiry time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    expires_at: Option<String>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl ApiKeyView {
    pub(crate) fn new(key: model::ApiKey, now: OffsetDateTime) -> Self {
        let status = if key.is_expired(now) { "expired" } else { "active" };
        let (pod_id, inbox_id) = match key.reach {
            Reach::Organization | Reach::Inboxes(_) => (None, None),
            Reach::Pod(pod_id) => (Some(pod_id.to_string()), None),
            Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.to_string()), Some(inbox_id.to_string())),
        };
        Self {
            r#type: "bearer",
            api_key_id: key.api_key_id.to_string(),
            prefix: key.prefix,
            name: key.name,
            status,
            pod_id,
            inbox_id,
            permissions: key.permissions.map(|permissions| permissions.0),
            used_at: key.used_at.map(format_time),
            expires_at: key.expires_at.map(format_time),
            created_at: format_time(key.created_at),
            updated_at: format_time(key.updated_at),
        }
    }
}

/// New API key, with the key itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedApiKey {
    #[serde(flatten)]
    key: ApiKeyView,
    /// The key itself. Only the response to its creation contains it; a repeat with the same `client_id` does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "am_…", nullable = false)]
    api_key: Option<String>,
}

impl CreatedApiKey {
    pub(crate) fn new(made: MadeKey, now: OffsetDateTime) -> Self {
        let api_key = made.plaintext.map(|plaintext| plaintext.reveal().to_owned());
        Self { key: ApiKeyView::new(made.api_key, now), api_key }
    }
}
