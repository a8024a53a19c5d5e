//! `POST …/calendar/feed`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::InboxUpdate;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::CalendarFeedView;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/calendar/feed",
    operation_id = "create_calendar_feed",
    tag = "Calendar",
    summary = "Create calendar feed",
    description = "Creates a secret URL at which programs subscribe to the calendar, and revokes an earlier one. Only this response has the URL. Everyone who knows it reads titles, locations and times without a key. Also requires `message_read`.",
    responses((status = 200, description = "The URL", body = CalendarFeedView))
)]
pub(crate) async fn handle(call: Authorized<InboxUpdate>) -> JsonResult<CalendarFeedView> {
    let token = calendar::open_feed(call.app(), &call.caller, &call.inbox_id()).await?;
    Ok(Json(CalendarFeedView::new(&token, &call.state().base_url)))
}
