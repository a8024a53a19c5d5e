//! `GET …/contacts/{address}`

use actix_web::web::Json;
use inboxd_core::app::contacts;
use inboxd_core::model::permissions::MessageRead;

use super::address_of;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::ContactView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/contacts/{address}",
    operation_id = "get_contact",
    tag = "Contacts",
    summary = "Read contact",
    description = "Returns a contact of the inbox.",
    params(("address" = String, Path, description = "Address of the contact; letter case is ignored")),
    responses((status = 200, description = "The contact", body = ContactView))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<ContactView> {
    let contact = contacts::get(call.app(), &call.caller, &call.inbox_id(), &address_of(&call)).await?;
    Ok(Json(contact.into()))
}
