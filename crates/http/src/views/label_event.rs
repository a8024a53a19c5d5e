//! Label history.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// Change of one label of one message.
#[derive(Serialize, ToSchema)]
#[schema(as = LabelEvent)]
pub(crate) struct LabelEventView {
    /// Id of the organization.
    organization_id: String,
    /// Id of the pod of the inbox.
    pod_id: String,
    /// Id of the inbox.
    inbox_id: String,
    /// Id of the change; ids sort by time.
    event_id: String,
    /// `label.added` or `label.removed`.
    #[schema(example = "label.added")]
    event_type: &'static str,
    /// Id of the message, which may be deleted.
    message_id: String,
    /// Label that was added or removed.
    label: String,
    /// Actor of the change.
    actor: ActorView,
    /// Time of the change.
    #[schema(format = DateTime)]
    event_at: String,
    /// Time of recording.
    #[schema(format = DateTime)]
    created_at: String,
}

impl From<model::LabelEvent> for LabelEventView {
    fn from(event: model::LabelEvent) -> Self {
        let at = format_time(event.event_at);
        Self {
            organization_id: event.organization_id.to_string(),
            pod_id: event.pod_id.to_string(),
            inbox_id: event.inbox_id.to_string(),
            event_id: event.event_id.to_string(),
            event_type: event.event_type.as_str(),
            message_id: event.message_id.to_string(),
            label: event.label,
            actor: event.actor.into(),
            event_at: at.clone(),
            created_at: at,
        }
    }
}
