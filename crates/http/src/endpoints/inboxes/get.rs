//! `GET /v0/inboxes/{inbox_id}`

use actix_web::web::Json;
use inboxd_core::app::inboxes;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Inbox;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}",
    operation_id = "get_inbox",
    tag = "Inboxes",
    summary = "Read an inbox",
    description = "Needs `inbox_read`.",
    params(("inbox_id" = String, Path, description = "The inbox")),
    responses((status = 200, description = "The inbox", body = Inbox))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Inbox> {
    let inbox_id = call.inbox(Permission::InboxRead)?;
    Ok(Json(inboxes::get(call.app(), &call.caller, &inbox_id).await?.into()))
}
