//! `DELETE /v0/pods/{pod_id}/inboxes/{inbox_id}`

use inboxd_core::app::{inboxes, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/pods/{pod_id}/inboxes/{inbox_id}",
    operation_id = "delete_pod_inbox",
    tag = "Pods",
    summary = "Delete an inbox of a pod",
    description = "Deletes an inbox with all its mail; its address stays claimed. Needs `inbox_delete`.",
    params(("pod_id" = String, Path, description = "The pod"), ("inbox_id" = String, Path, description = "The inbox")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let (pod_id, inbox_id) = call.pod_inbox(Permission::InboxDelete)?;
    let within = pods::enter_inbox(call.app(), &call.caller, pod_id, &inbox_id).await?;
    inboxes::delete(call.app(), &within, &inbox_id).await?;
    Ok(gone())
}
