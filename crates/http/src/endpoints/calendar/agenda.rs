//! `GET …/calendar/agenda`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::MessageRead;

use super::agenda_window;
use super::params::{AgendaParams, ConsistencyParams, WindowParams};
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::PageParams;
use crate::views::CalendarEventList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/calendar/agenda",
    operation_id = "get_agenda",
    tag = "Calendar",
    summary = "Read agenda",
    description = "Lists the dates within a time window in order of their start: events, and the dates of recurring events. Cancelled dates are left out. The window has at most 366 days.",
    params(WindowParams, AgendaParams, ConsistencyParams, PageParams),
    responses((status = 200, description = "A page of dates", body = CalendarEventList), (status = 400))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<CalendarEventList> {
    let mut query = call.query();
    let window = agenda_window(&mut query);
    let paging = query.page(&call, Direction::Ascending)?;
    let page = calendar::agenda(call.app(), &call.caller, &call.inbox_id(), window, &paging.request).await?;
    Ok(Json(CalendarEventList::items(page, &paging)))
}
