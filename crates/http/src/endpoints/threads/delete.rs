//! `DELETE /v0/inboxes/{inbox_id}/threads/{thread_id}`

use inboxd_core::app::threads;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}",
    operation_id = "delete_thread",
    tag = "Threads",
    summary = "Delete a thread",
    description = "Deletes a thread with its messages for good. Needs `message_delete`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("thread_id" = String, Path, description = "The thread")
    ),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let inbox_id = call.inbox(Permission::MessageDelete)?;
    threads::delete(call.app(), &call.caller, &inbox_id, call.thread_id()?).await?;
    Ok(gone())
}
