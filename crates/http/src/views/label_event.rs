//! A label that somebody gave to a message, or took from it.

use inboxd_core::model;
use serde::Serialize;
use utoipa::ToSchema;

use super::actor::ActorView;
use super::time::format_time;

/// A change of one label of one message.
#[derive(Serialize, ToSchema)]
#[schema(as = LabelEvent)]
pub(crate) struct LabelEventView {
    /// The organization.
    organization_id: String,
    /// The pod of the inbox.
    pod_id: String,
    /// The inbox.
    inbox_id: String,
    /// Its id, sortable by time.
    event_id: String,
    /// `label.added` or `label.removed`.
    #[schema(example = "label.added")]
    event_type: &'static str,
    /// The message, which may be gone by now.
    message_id: String,
    /// The label.
    label: String,
    /// Who did it.
    actor: ActorView,
    /// When it was done.
    #[schema(format = DateTime)]
    event_at: String,
    /// When it was recorded.
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
