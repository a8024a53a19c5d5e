//! `GET /v0/pods/{pod_id}/inboxes/{inbox_id}`

use actix_web::web::Json;
use inboxd_core::app::{inboxes, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Inbox;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/inboxes/{inbox_id}",
    operation_id = "get_pod_inbox",
    tag = "Pods",
    summary = "Read an inbox of a pod",
    description = "Needs `inbox_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("inbox_id" = String, Path, description = "The inbox")),
    responses((status = 200, description = "The inbox", body = Inbox))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Inbox> {
    let (pod_id, inbox_id) = call.pod_inbox(Permission::InboxRead)?;
    let within = pods::enter_inbox(call.app(), &call.caller, pod_id, &inbox_id).await?;
    Ok(Json(inboxes::get(call.app(), &within, &inbox_id).await?.into()))
}
