//! `PATCH /v0/pods/{pod_id}/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::{pods, threads};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::threads::update::{ThreadChangeRequest, thread_change};
use crate::views::ThreadItem;

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}/threads/{thread_id}",
    operation_id = "update_pod_thread",
    tag = "Threads",
    summary = "Label or assign a thread of a pod",
    description = "Needs `message_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("thread_id" = String, Path, description = "The thread")),
    request_body = ThreadChangeRequest,
    responses((status = 200, description = "The thread, without its messages", body = ThreadItem))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ThreadItem> {
    let pod_id = call.pod(Permission::MessageUpdate)?;
    let change = thread_change(&mut call).await?;
    let thread_id = call.thread_id()?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let inbox_id = threads::inbox_of(call.app(), &within, thread_id).await?;
    let thread = threads::update(call.app(), &within, &inbox_id, thread_id, change).await?;
    Ok(Json(thread.into()))
}
