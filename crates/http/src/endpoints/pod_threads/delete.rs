//! `DELETE /v0/pods/{pod_id}/threads/{thread_id}`

use inboxd_core::app::{pods, threads};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/pods/{pod_id}/threads/{thread_id}",
    operation_id = "delete_pod_thread",
    tag = "Threads",
    summary = "Delete a thread of a pod",
    description = "Deletes a thread with its messages for good. Needs `message_delete`.",
    params(("pod_id" = String, Path, description = "The pod"), ("thread_id" = String, Path, description = "The thread")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let pod_id = call.pod(Permission::MessageDelete)?;
    let thread_id = call.thread_id()?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let inbox_id = threads::inbox_of(call.app(), &within, thread_id).await?;
    threads::delete(call.app(), &within, &inbox_id, thread_id).await?;
    Ok(gone())
}
