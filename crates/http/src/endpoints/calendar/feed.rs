//! `GET /v0/calendar-feeds/{token}`

use actix_web::HttpResponse;
use inboxd_core::app::calendar;

use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::path;

/// End of the URL, by which programs know the kind of the file.
const EXTENSION: &str = ".ics";

#[utoipa::path(
    get,
    path = "/v0/calendar-feeds/{token}",
    operation_id = "get_calendar_feed",
    tag = "Calendar",
    summary = "Subscribe to calendar",
    description = "Returns the events of a calendar as iCalendar (RFC 5545), without descriptions, metadata, attendees and organizers: those of the last 90 days and the next three years, and all recurring ones that reach into them. The secret URL replaces the API key.",
    security(()),
    params(("token" = String, Path, description = "The secret token of the URL")),
    responses((status = 200, description = "The calendar", body = String, content_type = "text/calendar"), (status = 429))
)]
pub(crate) async fn handle(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let named = path::value(&call.request, "token");
    let target = calendar::feed_target(call.app(), named.strip_suffix(EXTENSION).unwrap_or(&named))?;
    // The organization that created the URL is charged for the read.
    call.admit(target.organization_id).await?;
    let object = calendar::feed(call.app(), target).await?;
    Ok(HttpResponse::Ok().content_type("text/calendar; charset=utf-8").body(object))
}
