//! An API key.

use std::collections::BTreeMap;

use ::time::OffsetDateTime;
use inboxd_core::app::api_keys::MadeKey;
use inboxd_core::model::{self, Reach};
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// An API key; the key itself is shown at its creation only.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub(crate) struct ApiKeyView {
    /// Always `bearer`.
    r#type: &'static str,
    /// Its id.
    api_key_id: String,
    /// The first twelve characters of the key.
    prefix: String,
    /// A name for people.
    name: String,
    /// `active` or `expired`.
    status: &'static str,
    /// The pod that it reaches, or whose inbox it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pod_id: Option<String>,
    /// The one inbox that it reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    inbox_id: Option<String>,
    /// What it may do; where it is absent, everything that its scope allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    permissions: Option<BTreeMap<String, bool>>,
    /// When it was last used, to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    used_at: Option<String>,
    /// When it stops working.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, nullable = false)]
    expires_at: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
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

/// A new API key, with the key itself.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedApiKey {
    #[serde(flatten)]
    key: ApiKeyView,
    /// The key. It is shown when it is made and never again: one that the same `client_id` made before comes without.
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
