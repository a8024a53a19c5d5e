//! `GET …/inboxes/{inbox_id}`

use actix_web::web::Json;
use inboxd_core::app::inboxes;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::InboxView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}",
    operation_id = "get_inbox",
    tag = "Inboxes",
    summary = "Read inbox",
    description = "Returns an inbox.",
    responses((status = 200, description = "The inbox", body = InboxView))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<InboxView> {
    Ok(Json(inboxes::get(call.app(), &call.caller, &call.inbox_id()).await?.into()))
}
