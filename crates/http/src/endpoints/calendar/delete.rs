//! `DELETE …/calendar/events/{event_id}`

use actix_web::http::StatusCode;
use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::MessageSend;

use super::params::{DeleteEventParams, IfMatchParams, ModeParams};
use super::{event_of, if_match};
use crate::authorized::Authorized;
use crate::error::ApiError;
use crate::views::DeletedEventView;

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/calendar/events/{event_id}",
    operation_id = "delete_calendar_event",
    tag = "Calendar",
    summary = "Delete event",
    description = "Deletes an event with all its dates at once, or cancels one date of a recurring event by its dated id. With `send_invites` the inbox cancels the event for its attendees by a mail, which is a send: a refused one deletes nothing. Also requires `message_read`.",
    params(
        ("event_id" = String, Path, description = "Id of the event, or of one of its dates"),
        ModeParams,
        DeleteEventParams,
        IfMatchParams
    ),
    responses(
        (status = 202, description = "Deleted, or the cancelled date; with `status` if a policy holds the mail", body = DeletedEventView),
        (status = 409),
        (status = 412),
        (status = 429)
    )
)]
pub(crate) async fn handle(call: Authorized<MessageSend>) -> Result<(Json<DeletedEventView>, StatusCode), ApiError> {
    let mut query = call.query();
    ModeParams::read(&mut query);
    let DeleteEventParams { send_invites } = DeleteEventParams::read(&mut query);
    query.finish()?;
    call.wait_to_send().await?;
    let (inbox_id, event_id, version) = (call.inbox_id(), event_of(&call), if_match(&call));
    let deleted =
        calendar::delete(call.app(), &call.caller, &inbox_id, &event_id, send_invites, version.as_deref()).await?;
    Ok((Json(deleted.into()), StatusCode::ACCEPTED))
}
