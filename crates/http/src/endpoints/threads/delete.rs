//! `DELETE …/threads/{thread_id}`

use inboxd_core::app::threads;
use inboxd_core::model::permissions::MessageDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}",
    operation_id = "delete_thread",
    tag = "Threads",
    summary = "Delete thread",
    description = "Deletes a thread and its messages permanently.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<MessageDelete>) -> NoContent {
    threads::delete(call.app(), &call.caller, call.thread_id()?).await?;
    Ok(no_content())
}
