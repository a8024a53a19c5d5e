//! A pod.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::time::format_time;

/// A group of inboxes.
#[derive(Serialize, ToSchema)]
#[schema(as = Pod)]
pub(crate) struct PodView {
    /// Its id.
    pod_id: String,
    /// A name for people.
    name: String,
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

impl From<model::Pod> for PodView {
    fn from(pod: model::Pod) -> Self {
        Self {
            pod_id: pod.pod_id.to_string(),
            name: pod.name,
            client_id: pod.client_id,
            created_at: format_time(pod.created_at),
            updated_at: format_time(pod.updated_at),
        }
    }
}
