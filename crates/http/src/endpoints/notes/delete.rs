//! `DELETE /v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}`

use inboxd_core::app::threads::notes;
use inboxd_core::model::permissions::MessageUpdate;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}",
    operation_id = "delete_note",
    tag = "Threads",
    summary = "Delete note",
    description = "Deletes a note. Only its author, owners, admins and unrestricted keys of the organization may delete it.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<MessageUpdate>) -> NoContent {
    notes::delete(call.app(), &call.caller, call.thread_id()?, call.note_id()?).await?;
    Ok(no_content())
}
