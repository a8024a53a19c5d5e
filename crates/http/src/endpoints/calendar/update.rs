//! `PATCH …/calendar/events/{event_id}`

use actix_web::http::StatusCode;
use actix_web::web::Json;
use inboxd_core::app::calendar::{self, EventChange};
use inboxd_core::model::permissions::MessageSend;

use super::params::{IfMatchParams, ModeParams};
use super::{MutationResult, answer, event_of, if_match};
use crate::authorized::Authorized;
use crate::body::{
    AnyJson, DurationModeName, EventAttendee, EventAttendees, EventRecurrence, EventStatusName, Nullable,
    RecurrenceField, request,
};
use crate::views::ChangedEventView;

request! {
    /// Changes of an event; absent fields keep their value.
    pub(crate) struct EventChangeRequest {
        /// Title.
        #[schema(min_length = 1, max_length = 1000)]
        title: Option<String>,
        /// Description, at most 8,192 bytes; null removes it.
        #[schema(value_type = Option<String>, max_length = 8192)]
        description: Nullable<String>,
        /// Location; null removes it.
        #[schema(value_type = Option<String>, max_length = 1024)]
        location: Nullable<String>,
        /// Any JSON of at most 16,384 bytes in place of the present one; null removes it.
        #[schema(value_type = Option<serde_json::Value>)]
        metadata: Nullable<AnyJson>,
        /// State.
        #[schema(value_type = Option<EventStatusName>)]
        status: Option<EventStatusName>,
        /// Whether the event lasts whole days; changed together with `start`, `end` and `timezone`, and not for one date.
        all_day: Option<bool>,
        /// Local start, or the first day; together with `end`, except for one date.
        #[schema(example = "2026-10-15T14:00:00")]
        start: Option<String>,
        /// Local end, or the last day.
        #[schema(example = "2026-10-15T14:30:00")]
        end: Option<String>,
        /// Time zone (IANA); not for one date.
        timezone: Option<String>,
        /// Length of the dates. Only the one that the event has anyway is taken.
        #[schema(value_type = Option<DurationModeName>)]
        duration_mode: Option<DurationModeName>,
        /// Recurrence; null leaves one date. Not for one date.
        #[schema(value_type = Option<EventRecurrence>)]
        recurrence: Nullable<RecurrenceField>,
        /// All attendees, at most 100.
        #[schema(value_type = Option<Vec<EventAttendee>>, max_items = 100)]
        attendees: Option<EventAttendees>,
        /// Whether the attendees, at most 50, are told by mail. Only the organizer can do so.
        #[schema(default = false)]
        send_invites: Option<bool>,
    }
    unsupported { dry_run: "false" }
}

impl From<EventChangeRequest> for EventChange {
    fn from(request: EventChangeRequest) -> Self {
        Self {
            title: request.title,
            description: request.description.sent(),
            location: request.location.sent(),
            metadata: request.metadata.sent().map(|metadata| metadata.map(|metadata| metadata.0)),
            status: request.status.map(|status| status.0),
            all_day: request.all_day,
            start: request.start,
            end: request.end,
            timezone: request.timezone,
            duration_mode: request.duration_mode.map(|mode| mode.0),
            recurrence: request.recurrence.sent().map(|recurrence| recurrence.map(|recurrence| recurrence.0)),
            attendees: request.attendees.map(|attendees| attendees.0),
            send_invites: request.send_invites == Some(true),
        }
    }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/calendar/events/{event_id}",
    operation_id = "update_calendar_event",
    tag = "Calendar",
    summary = "Update event",
    description = "Changes an event, or one date of a recurring event by its dated id. Another start or recurrence voids earlier changes of single dates. With `send_invites` the inbox tells the attendees by a mail, which is a send: a refused one changes nothing. Also requires `message_read`.",
    params(("event_id" = String, Path, description = "Id of the event, or of one of its dates"), ModeParams, IfMatchParams),
    request_body = EventChangeRequest,
    responses(
        (status = 200, description = "The event", body = ChangedEventView),
        (status = 202, description = "The event; a policy holds the mail until a person approves it", body = ChangedEventView),
        (status = 412)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> MutationResult {
    let mut query = call.query();
    ModeParams::read(&mut query);
    query.finish()?;
    let (read, _) = call.sending::<EventChangeRequest>().await?;
    let change = read.map(EventChange::from).checked(calendar::problems_of_event_change)?;
    let (inbox_id, event_id, version) = (call.inbox_id(), event_of(&call), if_match(&call));
    let changed = calendar::update(call.app(), &call.caller, &inbox_id, &event_id, change, version.as_deref()).await?;
    let (view, held) = answer(changed);
    Ok((Json(view), held.unwrap_or(StatusCode::OK)))
}
