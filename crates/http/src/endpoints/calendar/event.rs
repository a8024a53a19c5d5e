//! `GET …/calendar/events/{event_id}`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::MessageRead;

use super::event_of;
use super::params::ConsistencyParams;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::CalendarEventView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/calendar/events/{event_id}",
    operation_id = "get_calendar_event",
    tag = "Calendar",
    summary = "Read event",
    description = "Returns an event, or one date of a recurring event by its dated id.",
    params(("event_id" = String, Path, description = "Id of the event, or of one of its dates"), ConsistencyParams),
    responses((status = 200, description = "The event", body = CalendarEventView))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<CalendarEventView> {
    let mut query = call.query();
    ConsistencyParams::read(&mut query);
    query.finish()?;
    let found = calendar::event(call.app(), &call.caller, &call.inbox_id(), &event_of(&call)).await?;
    Ok(Json(CalendarEventView::whole(found.date, found.version)))
}
