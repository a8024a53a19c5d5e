//! `PATCH …/calendar`

use actix_web::web::Json;
use inboxd_core::app::calendar;
use inboxd_core::model::permissions::InboxUpdate;

use super::if_match;
use super::params::IfMatchParams;
use crate::authorized::Authorized;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::views::InboxCalendarView;

request! {
    /// Settings of a calendar.
    pub(crate) struct CalendarSettingsRequest {
        /// Time zone (IANA) of new events without one.
        #[schema(example = "Europe/Berlin")]
        timezone: String,
    }
}

#[utoipa::path(
    patch,
    path = "/v0/inboxes/{inbox_id}/calendar",
    operation_id = "update_calendar",
    tag = "Calendar",
    summary = "Update calendar",
    description = "Changes the time zone of new events without one. Stored events keep theirs. Also requires `message_read`.",
    params(IfMatchParams),
    request_body = CalendarSettingsRequest,
    responses((status = 200, description = "The calendar", body = InboxCalendarView), (status = 412))
)]
pub(crate) async fn handle(mut call: Authorized<InboxUpdate>) -> JsonResult<InboxCalendarView> {
    let read = call.body::<CalendarSettingsRequest>().await?.map(|request| request.timezone);
    let timezone = read.checked(|timezone| calendar::problems_of_timezone(timezone))?;
    let version = if_match(&call);
    let changed =
        calendar::set_timezone(call.app(), &call.caller, &call.inbox_id(), &timezone, version.as_deref()).await?;
    Ok(Json(changed.into()))
}
