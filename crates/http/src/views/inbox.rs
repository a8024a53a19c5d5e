//! Inboxes.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;
use crate::body::{InboxStatusName, MetadataPairs, QuarantineModeName};

/// Inbox: an address that sends and receives messages.
#[derive(Serialize, ToSchema)]
#[schema(as = Inbox)]
pub(crate) struct InboxView {
    /// Pod of the inbox.
    pod_id: String,
    /// Address of the inbox.
    #[schema(example = "scout@inboxd.example")]
    inbox_id: String,
    /// Address of the inbox.
    email: String,
    /// Local part of the address.
    username: String,
    /// Domain of the address.
    domain: String,
    /// Display name in `From`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    display_name: Option<String>,
    /// Idempotency key of the creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Metadata set by callers.
    #[serde(skip_serializing_if = "model::Metadata::is_empty")]
    #[schema(value_type = MetadataPairs, required = false)]
    metadata: model::Metadata,
    /// `active` or `paused`. A paused inbox sends nothing, and mail to it is deferred.
    #[schema(value_type = InboxStatusName)]
    status: &'static str,
    /// Days after which messages are deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    retention_days: Option<u32>,
    /// Own quarantine of received messages. Of organization, pod and inbox the strictest one applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<QuarantineModeName>)]
    quarantine: Option<&'static str>,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_at: String,
    /// Time of the last change.
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
            retention_days: inbox.retention_days,
            quarantine: inbox.quarantine.map(model::QuarantineMode::as_str),
            created_at: format_time(inbox.created_at),
            updated_at: format_time(inbox.updated_at),
        }
    }
}
