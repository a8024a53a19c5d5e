//! `GET …/threads/search`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, ThreadFilter};
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::{Authorized, InboxQuery};
use crate::endpoints::JsonResult;
use crate::query::{IncludeParams, LabelParams, OrderParams, PageParams, QueryReader, SpanParams};
use crate::search_text::{SearchParams, SearchText};
use crate::views::ThreadSearchList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/threads/search",
    operation_id = "search_threads",
    tag = "Threads",
    summary = "Search threads",
    description = "Lists the threads with a message that has the search text or words in sender, recipients, subject or text, newest first. A search by words orders threads by their newest matching message; it reads at most 1,000 inboxes.",
    params(InboxQuery, SearchParams, PageParams, OrderParams, SpanParams, LabelParams, IncludeParams),
    responses((status = 200, description = "A page of threads", body = ThreadSearchList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead, InboxQuery>) -> JsonResult<ThreadSearchList> {
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = ThreadFilter { page: paging.request.clone(), ..filter };
    let page = threads::search(call.app(), &call.caller, filter).await?;
    Ok(Json(ThreadSearchList::new(page, &paging)))
}

/// Reads the filter of a thread search.
pub(crate) fn filter(query: &mut QueryReader) -> ThreadFilter {
    let SearchText { substring, words } = query.search();
    let LabelParams { labels } = LabelParams::read(query);
    let SpanParams { before, after } = SpanParams::read(query);
    let include = IncludeParams::read(query);
    ThreadFilter { search: substring, words, labels, before, after, include, ..ThreadFilter::default() }
}
