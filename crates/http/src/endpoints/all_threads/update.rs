//! `PATCH /v0/threads/{thread_id}`

use actix_web::web::Json;
use inboxd_core::app::threads;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::threads::update::{ThreadChangeRequest, thread_change};
use crate::views::ThreadItem;

#[utoipa::path(
    patch,
    path = "/v0/threads/{thread_id}",
    operation_id = "update_all_thread",
    tag = "Threads",
    summary = "Label or assign a thread by its id alone",
    description = "Needs `message_update`.",
    params(("thread_id" = String, Path, description = "The thread")),
    request_body = ThreadChangeRequest,
    responses((status = 200, description = "The thread, without its messages", body = ThreadItem))
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<ThreadItem> {
    call.require(Permission::MessageUpdate)?;
    let change = thread_change(&mut call).await?;
    let thread_id = call.thread_id()?;
    let inbox_id = threads::inbox_of(call.app(), &call.caller, thread_id).await?;
    let thread = threads::update(call.app(), &call.caller, &inbox_id, thread_id, change).await?;
    Ok(Json(thread.into()))
}
