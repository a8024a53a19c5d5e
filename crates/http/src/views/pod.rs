//! Pods.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;
use crate::body::QuarantineModeName;

/// Group of inboxes.
#[derive(Serialize, ToSchema)]
#[schema(as = Pod)]
pub(crate) struct PodView {
    /// Id of the pod.
    pod_id: String,
    /// Display name.
    name: String,
    /// Idempotency key of the creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Own quarantine of messages that its inboxes receive. Of organization, pod and inbox the strictest one applies.
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

impl From<model::Pod> for PodView {
    fn from(pod: model::Pod) -> Self {
        Self {
            pod_id: pod.pod_id.to_string(),
            name: pod.name,
            client_id: pod.client_id,
            quarantine: pod.quarantine.map(model::QuarantineMode::as_str),
            created_at: format_time(pod.created_at),
            updated_at: format_time(pod.updated_at),
        }
    }
}
