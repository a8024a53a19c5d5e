//! `GET …/calendar/events`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::CalendarEventList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/calendar/events",
    operation_id = "list_calendar_events",
    tag = "Calendar",
    summary = "List events",
    description = "Lists the events of the inbox, the last changed first: each event once, cancelled ones included, and each changed date of a recurring event.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of events", body = CalendarEventList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<CalendarEventList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = calendar::list(call.app(), &call.caller, &call.inbox_id(), paging.request.clone()).await?;
    Ok(Json(CalendarEventList::new(page, &paging)))
}
