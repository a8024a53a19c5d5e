//! `GET /v0/pods/{pod_id}/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::{pods, threads};
use inboxd_core::model::{Direction, Permission};

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::PageParams;
use crate::views::Thread;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/threads/{thread_id}",
    operation_id = "get_pod_thread",
    tag = "Threads",
    summary = "Read a thread of a pod",
    description = "Reads a thread with its messages and their bodies, the oldest first. A long thread is paged: the first page holds the newest messages. Needs `message_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("thread_id" = String, Path, description = "The thread"), PageParams),
    responses((status = 200, description = "The thread", body = Thread))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Thread> {
    let pod_id = call.pod(Permission::MessageRead)?;
    let thread_id = call.thread_id()?;
    let paging = call.query().page(&call, Direction::Descending)?;
    let (limit, after) = (paging.request.limit, paging.request.after.as_ref());
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let inbox_id = threads::inbox_of(call.app(), &within, thread_id).await?;
    let page = threads::get(call.app(), &within, &inbox_id, thread_id, limit, after).await?;
    Ok(Json(Thread::new(page, &paging, call.app().clock.now())))
}
