//! `DELETE …/messages/{message_id}`

use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}",
    operation_id = "delete_message",
    tag = "Messages",
    summary = "Delete message",
    description = "Deletes a message permanently and frees its storage at once.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<MessageDelete>) -> NoContent {
    let inbox_id = call.inbox_id();
    messages::delete(call.app(), &call.caller, &inbox_id, &call.message_id(&inbox_id).await?).await?;
    Ok(no_content())
}
