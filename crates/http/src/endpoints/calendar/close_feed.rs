//! `DELETE …/calendar/feed`

use inboxd_core::app::calendar;
use inboxd_core::model::permissions::InboxUpdate;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/calendar/feed",
    operation_id = "delete_calendar_feed",
    tag = "Calendar",
    summary = "Delete calendar feed",
    description = "Revokes the secret URL of the calendar at once.",
    responses((status = 204, description = "Revoked"))
)]
pub(crate) async fn handle(call: Authorized<InboxUpdate>) -> NoContent {
    calendar::close_feed(call.app(), &call.caller, &call.inbox_id()).await?;
    Ok(no_content())
}
