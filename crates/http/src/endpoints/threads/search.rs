//! `GET …/threads/search`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, ThreadFilter};
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::{Authorized, InboxQuery};
use crate::endpoints::JsonResult;
use crate::query::QueryReader;
use crate::query_docs::{InboxParams, LabelParams, OrderParams, PageParams, SearchParams, SpanParams};
use crate::views::ThreadList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/threads/search",
    operation_id = "search_threads",
    tag = "Threads",
    summary = "Search threads",
    description = "Lists the threads with a message that has the search text in sender, recipients, subject or text, newest first.",
    params(InboxParams, SearchParams, PageParams, OrderParams, SpanParams, LabelParams),
    responses((status = 200, description = "A page of threads", body = ThreadList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead, InboxQuery>) -> JsonResult<ThreadList> {
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = ThreadFilter { page: paging.request.clone(), ..filter };
    let page = threads::list(call.app(), &call.caller, filter).await?;
    Ok(Json(ThreadList::new(page, &paging)))
}

/// Reads the filter of a thread search.
pub(crate) fn filter(query: &mut QueryReader) -> ThreadFilter {
    ThreadFilter {
        search: query.required_text("q"),
        labels: query.words("labels"),
        before: query.time("before"),
        after: query.time("after"),
        include: query.include(),
        ..ThreadFilter::default()
    }
}
