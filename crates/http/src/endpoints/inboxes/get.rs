//! `GET …/inboxes/{inbox_id}`

use actix_web::web::Json;
use inboxd_core::app::inboxes;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::Answer;
use crate::views::Inbox;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}",
    operation_id = "get_inbox",
    tag = "Inboxes",
    summary = "Read inbox",
    description = "Reads an inbox.",
    responses((status = 200, description = "The inbox", body = Inbox))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> Answer<Inbox> {
    Ok(Json(inboxes::get(call.app(), &call.caller, &call.inbox_id()).await?.into()))
}
