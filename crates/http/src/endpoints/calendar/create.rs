//! `POST …/calendar/events`

use actix_web::web::Json;
use inboxd_core::app::calendar::{self, NewEvent};
use inboxd_core::model::permissions::MessageSend;
use inboxd_mail::EntryStatus;

use super::{MutationResult, answer};
use crate::authorized::Authorized;
use crate::body::{
    AnyJson, ClientId, DurationModeName, EventAttendee, EventAttendees, EventRecurrence, EventStatusName,
    RecurrenceField, request,
};
use crate::views::ChangedEventView;

request! {
    /// Event to create.
    pub(crate) struct NewEventRequest {
        /// Title.
        #[schema(min_length = 1, max_length = 1000)]
        title: String,
        /// Local start in `timezone`, or the first day; of a recurring event, that of its first date.
        #[schema(example = "2026-10-15T14:00:00")]
        start: String,
        /// Local end in `timezone`, behind `start`, or the last day. At most 366 days later, and 31 for a recurring event.
        #[schema(example = "2026-10-15T14:30:00")]
        end: String,
        /// Idempotency key: while the event exists, a repeat with the same body returns it and sends nothing.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
        /// Description, at most 8,192 bytes.
        #[schema(max_length = 8192)]
        description: Option<String>,
        /// Location.
        #[schema(max_length = 1024)]
        location: Option<String>,
        /// Any JSON of at most 16,384 bytes. No attendee sees it.
        #[schema(value_type = Option<serde_json::Value>)]
        metadata: Option<AnyJson>,
        /// State; `confirmed` by default.
        #[schema(value_type = Option<EventStatusName>)]
        status: Option<EventStatusName>,
        /// Whether the event lasts whole days.
        all_day: Option<bool>,
        /// Time zone (IANA); by default that of the calendar.
        timezone: Option<String>,
        /// Length of the dates. Only the one that the event has anyway is taken.
        #[schema(value_type = Option<DurationModeName>)]
        duration_mode: Option<DurationModeName>,
        /// Recurrence.
        #[schema(value_type = Option<EventRecurrence>)]
        recurrence: Option<RecurrenceField>,
        /// Attendees, at most 100.
        #[schema(value_type = Option<Vec<EventAttendee>>, max_items = 100)]
        attendees: Option<EventAttendees>,
        /// Whether the attendees, at most 50, are invited by mail.
        #[schema(default = false)]
        send_invites: Option<bool>,
    }
    unsupported { dry_run: "false" }
}

impl From<NewEventRequest> for NewEvent {
    fn from(request: NewEventRequest) -> Self {
        Self {
            title: request.title,
            start: request.start,
            end: request.end,
            client_id: request.client_id,
            description: request.description,
            location: request.location,
            metadata: request.metadata.map(|metadata| metadata.0),
            status: request.status.map_or(EntryStatus::Confirmed, |status| status.0),
            all_day: request.all_day == Some(true),
            timezone: request.timezone,
            duration_mode: request.duration_mode.map(|mode| mode.0),
            recurrence: request.recurrence.map(|recurrence| recurrence.0),
            attendees: request.attendees.unwrap_or_default().0,
            send_invites: request.send_invites == Some(true),
        }
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/calendar/events",
    operation_id = "create_calendar_event",
    tag = "Calendar",
    summary = "Create event",
    description = "Creates an event. With `send_invites` the inbox invites the attendees by a mail (iTIP, RFC 5546), which is a send: policies, suppressions and quotas apply, and a refused one creates nothing. Also requires `message_read`.",
    request_body = NewEventRequest,
    responses(
        (status = 200, description = "The event that the same `client_id` created before", body = ChangedEventView),
        (status = 201, description = "The event", body = ChangedEventView),
        (status = 202, description = "The event; a policy holds its invitation until a person approves it", body = ChangedEventView)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> MutationResult {
    let (read, digest) = call.sending::<NewEventRequest>().await?;
    let new = read.map(NewEvent::from).checked(calendar::problems_of_new)?;
    let created = calendar::create(call.app(), &call.caller, &call.inbox_id(), new, digest).await?;
    let status = if created.is_repeat { actix_web::http::StatusCode::OK } else { actix_web::http::StatusCode::CREATED };
    let (view, held) = answer(created);
    Ok((Json(view), held.unwrap_or(status)))
}
