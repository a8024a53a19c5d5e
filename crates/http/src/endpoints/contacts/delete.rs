//! `DELETE …/contacts/{address}`

use inboxd_core::app::contacts;
use inboxd_core::model::permissions::ListEntryDelete;

use super::address_of;
use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/contacts/{address}",
    operation_id = "delete_contact",
    tag = "Contacts",
    summary = "Forget contact",
    description = "Deletes a contact with its decision and counts, and no message. The next message from the address is a first contact again.",
    params(("address" = String, Path, description = "Address of the contact; letter case is ignored")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<ListEntryDelete>) -> NoContent {
    contacts::forget(call.app(), &call.caller, &call.inbox_id(), &address_of(&call)).await?;
    Ok(no_content())
}
