//! `GET /v0/threads/search`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, ThreadFilter};
use inboxd_core::model::Permission;
use inboxd_core::rules::access;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::threads::search::filter;
use crate::path;
use crate::query_docs::{InboxParams, LabelParams, OrderParams, PageParams, SearchParams, SpanParams};
use crate::views::ThreadList;

#[utoipa::path(
    get,
    path = "/v0/threads/search",
    operation_id = "search_all_threads",
    tag = "Threads",
    summary = "Search the threads of all inboxes",
    description = "Lists the threads in every inbox within the caller's reach, or in one that is named, with a message that holds a text in sender, recipients, subject or text, newest first. Needs `message_read`.",
    params(InboxParams, SearchParams, PageParams, OrderParams, SpanParams, LabelParams),
    responses((status = 200, description = "A page of threads", body = ThreadList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ThreadList> {
    let mut query = call.query();
    let inbox_id = query.text("inbox_id").map(|text| path::inbox_id(&text));
    if let Some(inbox_id) = &inbox_id {
        access::require_inbox(&call.caller, inbox_id)?;
    }
    call.require(Permission::MessageRead)?;
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = ThreadFilter { page: paging.request.clone(), ..filter };
    let page = match inbox_id {
        Some(inbox_id) => threads::list(call.app(), &call.caller, &inbox_id, filter).await?,
        None => threads::list_across(call.app(), &call.caller, filter).await?,
    };
    Ok(Json(ThreadList::new(page, &paging)))
}
