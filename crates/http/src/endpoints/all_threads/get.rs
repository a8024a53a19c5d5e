//! `GET /v0/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::threads;
use inboxd_core::model::{Direction, Permission};

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::PageParams;
use crate::views::Thread;

#[utoipa::path(
    get,
    path = "/v0/threads/{thread_id}",
    operation_id = "get_all_thread",
    tag = "Threads",
    summary = "Read a thread by its id alone",
    description = "Reads a thread with its messages and their bodies, the oldest first. A long thread is paged: the first page holds the newest messages. Needs `message_read`.",
    params(("thread_id" = String, Path, description = "The thread"), PageParams),
    responses((status = 200, description = "The thread", body = Thread))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Thread> {
    call.require(Permission::MessageRead)?;
    let thread_id = call.thread_id()?;
    let paging = call.query().page(&call, Direction::Descending)?;
    let (limit, after) = (paging.request.limit, paging.request.after.as_ref());
    let inbox_id = threads::inbox_of(call.app(), &call.caller, thread_id).await?;
    let page = threads::get(call.app(), &call.caller, &inbox_id, thread_id, limit, after).await?;
    Ok(Json(Thread::new(page, &paging, call.app().clock.now())))
}
