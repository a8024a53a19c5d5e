//! `GET …/calendar/free-busy`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::MessageRead;

use super::params::{ConsistencyParams, WindowParams};
use super::window;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::FreeBusyView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/calendar/free-busy",
    operation_id = "get_free_busy",
    tag = "Calendar",
    summary = "Read free and busy times",
    description = "Returns the periods of a time window in which the inbox is busy, without the events behind them. Cancelled and declined dates are free; dates that are uncertain or not answered are tentative. The window has at most 366 days, 10,000 dates, and fewer than 1,000 of one event.",
    params(WindowParams, ConsistencyParams),
    responses((status = 200, description = "The busy periods", body = FreeBusyView), (status = 400))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<FreeBusyView> {
    let mut query = call.query();
    let window = window(&mut query);
    query.finish()?;
    let found = calendar::free_busy(call.app(), &call.caller, &call.inbox_id(), window).await?;
    Ok(Json(FreeBusyView::new(&call.inbox_id(), found)))
}
