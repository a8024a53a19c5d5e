//! `GET …/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::threads;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::endpoints::messages::requested::all_requested;
use crate::query::{BodyFormatParams, PageParams};
use crate::views::ThreadView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}",
    operation_id = "get_thread",
    tag = "Threads",
    summary = "Read thread",
    description = "Returns a thread with its messages and their bodies, oldest first. A long thread is paged: the first page holds the newest messages. A page with large bodies may hold fewer messages than `limit`.",
    params(PageParams, BodyFormatParams),
    responses((status = 200, description = "The thread", body = ThreadView))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<ThreadView> {
    let mut query = call.query();
    let format = query.body_format();
    let paging = query.page(&call, Direction::Descending)?;
    // After validation: a malformed id names no existing thread, and existence is checked last.
    let thread_id = call.thread_id()?;
    let (limit, after) = (paging.request.limit, paging.request.after.as_ref());
    let mut page = threads::get(call.app(), &call.caller, thread_id, limit, after).await?;
    let messages = all_requested(&call, std::mem::take(&mut page.messages.items), format).await?;
    Ok(Json(ThreadView::new(page, messages, &paging, call.app().clock.now())))
}
