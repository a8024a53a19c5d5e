//! `DELETE /v0/threads/{thread_id}`

use inboxd_core::app::threads;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/threads/{thread_id}",
    operation_id = "delete_all_thread",
    tag = "Threads",
    summary = "Delete a thread by its id alone",
    description = "Deletes a thread with its messages for good. Needs `message_delete`.",
    params(("thread_id" = String, Path, description = "The thread")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    call.require(Permission::MessageDelete)?;
    let thread_id = call.thread_id()?;
    let inbox_id = threads::inbox_of(call.app(), &call.caller, thread_id).await?;
    threads::delete(call.app(), &call.caller, &inbox_id, thread_id).await?;
    Ok(gone())
}
