//! `GET …/calendar/events/{event_id}/instances`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::MessageRead;

use super::params::{AgendaParams, ConsistencyParams, WindowParams};
use super::{agenda_window, event_of};
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::PageParams;
use crate::views::CalendarEventList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/calendar/events/{event_id}/instances",
    operation_id = "list_event_instances",
    tag = "Calendar",
    summary = "List dates of event",
    description = "Lists the dates of a recurring event within a time window, in order of their start. Cancelled dates are left out. The window has at most 366 days.",
    params(("event_id" = String, Path, description = "Id of the recurring event"), WindowParams, AgendaParams, ConsistencyParams, PageParams),
    responses((status = 200, description = "A page of dates", body = CalendarEventList), (status = 400))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<CalendarEventList> {
    let mut query = call.query();
    let window = agenda_window(&mut query);
    let paging = query.page(&call, Direction::Ascending)?;
    let (inbox_id, event_id) = (call.inbox_id(), event_of(&call));
    let page = calendar::instances(call.app(), &call.caller, &inbox_id, &event_id, window, &paging.request).await?;
    Ok(Json(CalendarEventList::items(page, &paging)))
}
