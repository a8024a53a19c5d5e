//! `POST …/calendar/events/{event_id}/respond`

use actix_web::http::StatusCode;
use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::app::messages::{Rsvp, problems_of_rsvp};
use inboxd_core::model::permissions::MessageSend;

use super::params::IfMatchParams;
use super::{MutationResult, answer, event_of, if_match};
use crate::authorized::Authorized;
use crate::body::{ResponseName, request};
use crate::views::ChangedEventView;

request! {
    /// Response to the invitation of an event.
    pub(crate) struct RespondRequest {
        /// Response.
        #[schema(value_type = ResponseName)]
        status: ResponseName,
        /// Comment for the organizer, at most 4,096 bytes.
        #[schema(max_length = 4096)]
        comment: Option<String>,
        /// Whether a mail tells the organizer.
        #[schema(default = true)]
        send_reply: Option<bool>,
        /// Whether the answer may go to an organizer of another domain than that of an unknown sender. Without it such
        /// an answer is refused.
        confirm_organizer: Option<bool>,
    }
    unsupported { dry_run: "false" }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/calendar/events/{event_id}/respond",
    operation_id = "respond_to_calendar_event",
    tag = "Calendar",
    summary = "Respond to event",
    description = "Responds to the invitation that an event came from, for all dates or for one date by its dated id. A mail tells the organizer, as the operation `answer_invitation` does; a refused one changes nothing. Also requires `message_read`.",
    params(("event_id" = String, Path, description = "Id of the event, or of one of its dates"), IfMatchParams),
    request_body = RespondRequest,
    responses(
        (status = 200, description = "The event", body = ChangedEventView),
        (status = 202, description = "The event; a policy holds the mail until a person approves it", body = ChangedEventView),
        (status = 412)
    )
)]
pub(crate) async fn handle(mut call: Authorized<MessageSend>) -> MutationResult {
    let (read, _) = call.sending::<RespondRequest>().await?;
    let read = read.map(|RespondRequest { status, comment, send_reply, confirm_organizer }| {
        let rsvp = Rsvp { status: status.0, comment, confirm_organizer: confirm_organizer == Some(true) };
        (rsvp, send_reply != Some(false))
    });
    let (rsvp, send_reply) = read.checked(|(rsvp, _)| problems_of_rsvp(rsvp))?;
    let (inbox_id, event_id, version) = (call.inbox_id(), event_of(&call), if_match(&call));
    let changed =
        calendar::respond(call.app(), &call.caller, &inbox_id, &event_id, rsvp, send_reply, version.as_deref()).await?;
    let (view, held) = answer(changed);
    Ok((Json(view), held.unwrap_or(StatusCode::OK)))
}
