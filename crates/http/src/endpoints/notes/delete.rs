//! `DELETE /v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}`

use inboxd_core::app::threads::notes;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}",
    operation_id = "delete_note",
    tag = "Threads",
    summary = "Delete a note",
    description = "Whoever wrote it may, and so may an owner, an admin, and a key of the organization without restriction. Needs `message_update`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ("thread_id" = String, Path, description = "The thread"), ("note_id" = String, Path, description = "The note")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let inbox_id = call.inbox(Permission::MessageUpdate)?;
    notes::delete(call.app(), &call.caller, &inbox_id, call.thread_id()?, call.note_id()?).await?;
    Ok(gone())
}
