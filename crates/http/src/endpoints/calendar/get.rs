//! `GET …/calendar`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::MessageRead;

use super::params::ConsistencyParams;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::InboxCalendarView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/calendar",
    operation_id = "get_calendar",
    tag = "Calendar",
    summary = "Read calendar",
    description = "Returns the calendar of the inbox.",
    params(ConsistencyParams),
    responses((status = 200, description = "The calendar", body = InboxCalendarView))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<InboxCalendarView> {
    let mut query = call.query();
    ConsistencyParams::read(&mut query);
    query.finish()?;
    Ok(Json(calendar::get(call.app(), &call.caller, &call.inbox_id()).await?.into()))
}
