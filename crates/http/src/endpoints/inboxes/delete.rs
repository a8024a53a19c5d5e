//! `DELETE …/inboxes/{inbox_id}`

use inboxd_core::app::inboxes;
use inboxd_core::model::permissions::InboxDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}",
    operation_id = "delete_inbox",
    tag = "Inboxes",
    summary = "Delete inbox",
    description = "Deletes an inbox with all its messages and revokes the keys limited to it. The address cannot be used again.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<InboxDelete>) -> NoContent {
    inboxes::delete(call.app(), &call.caller, &call.inbox_id()).await?;
    Ok(no_content())
}
