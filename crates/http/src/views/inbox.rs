//! An inbox.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;
use crate::body::{InboxStatusName, MetadataPairs};

/// An address that sends and receives.
#[derive(Serialize, ToSchema)]
#[schema(as = Inbox)]
pub(crate) struct InboxView {
    /// The pod that it belongs to.
    pod_id: String,
    /// Its address.
    #[schema(example = "scout@inboxd.example")]
    inbox_id: String,
    /// Its address.
    email: String,
    /// What stands before the `@`.
    username: String,
    /// What stands behind it.
    domain: String,
    /// The name in `From`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    display_name: Option<String>,
    /// The idempotency key of its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// The caller's own pairs.
    #[serde(skip_serializing_if = "model::Metadata::is_empty")]
    #[schema(value_type = MetadataPairs, required = false)]
    metadata: model::Metadata,
    /// Whether it sends and receives. A paused inbox sends nothing, and mail to it is deferred.
    #[schema(value_type = InboxStatusName)]
    status: &'static str,
    /// When it was made.
    #[schema(format = DateTime)]
    created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    updated_at: String,
}

impl From<model::Inbox> for InboxView {
    fn from(inbox: model::Inbox) -> Self {
        let status = inbox.status().as_str();
        let model::Inbox { inbox_id, .. } = inbox;
        Self {
            pod_id: inbox.pod_id.to_string(),
            email: inbox_id.to_string(),
            username: inbox_id.username().to_owned(),
            domain: inbox_id.domain().to_owned(),
            inbox_id: inbox_id.to_string(),
            display_name: inbox.display_name,
            client_id: inbox.client_id,
            metadata: inbox.metadata,
            status,
            created_at: format_time(inbox.created_at),
            updated_at: format_time(inbox.updated_at),
        }
    }
}
