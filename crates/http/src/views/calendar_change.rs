//! Responses to changes of events.

use inboxd_core::app::calendar::{ChangedEvent, DeletedEvent};
use inboxd_core::model::{ApprovalStatus, SendResult};
use serde::Serialize;
use utoipa::ToSchema;

use super::CalendarEventView;

/// Mail about the change of an event. All fields are absent if none was sent.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = CalendarEventMail)]
pub(crate) struct EventMailView {
    /// Id of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message_id: Option<String>,
    /// Thread of the mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    thread_id: Option<String>,
    /// `awaiting_approval` if a policy holds the mail; absent for an accepted one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    status: Option<&'static str>,
    /// Draft that waits for the approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    draft_id: Option<String>,
}

impl From<Option<SendResult>> for EventMailView {
    fn from(sent: Option<SendResult>) -> Self {
        let Some(sent) = sent else { return Self::default() };
        Self {
            message_id: Some(sent.message_id.to_string()),
            thread_id: Some(sent.thread_id.to_string()),
            status: sent.held.map(|_| ApprovalStatus::Awaiting.as_str()),
            draft_id: sent.held.map(|draft_id| draft_id.to_string()),
        }
    }
}

/// Changed event.
#[derive(Serialize, ToSchema)]
#[schema(as = CalendarEventMutation)]
pub(crate) struct ChangedEventView {
    /// The event, or the date.
    event: CalendarEventView,
    /// Id of the change, and of its event `calendar.event.*`.
    operation_id: String,
    #[serde(flatten)]
    #[schema(value_type = EventMailView)]
    mail: EventMailView,
}

impl From<ChangedEvent> for ChangedEventView {
    fn from(changed: ChangedEvent) -> Self {
        Self {
            event: CalendarEventView::whole(changed.date, changed.version),
            operation_id: changed.operation_id.to_string(),
            mail: changed.sent.into(),
        }
    }
}

/// Deleted event, or cancelled date.
#[derive(Serialize, ToSchema)]
#[schema(as = CalendarEventDeletion)]
pub(crate) struct DeletedEventView {
    /// Id of the deletion of an event, and of its `calendar.event.deleted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    deletion_id: Option<String>,
    /// The cancelled date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<CalendarEventView>)]
    event: Option<Box<CalendarEventView>>,
    /// Id of the cancellation of a date, and of its `calendar.event.updated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    operation_id: Option<String>,
    #[serde(flatten)]
    #[schema(value_type = EventMailView)]
    mail: EventMailView,
}

impl From<DeletedEvent> for DeletedEventView {
    fn from(deleted: DeletedEvent) -> Self {
        match deleted {
            DeletedEvent::Whole { deletion_id, sent } => {
                Self { deletion_id: Some(deletion_id.to_string()), event: None, operation_id: None, mail: sent.into() }
            }
            DeletedEvent::Date(changed) => {
                let ChangedEventView { event, operation_id, mail } = (*changed).into();
                Self { deletion_id: None, event: Some(Box::new(event)), operation_id: Some(operation_id), mail }
            }
        }
    }
}
