//! `GET …/threads`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, AssigneeChoice, ThreadFilter};
use inboxd_core::model::PageRequest;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::{Authorized, InboxQuery};
use crate::endpoints::JsonResult;
use crate::query::QueryReader;
use crate::query_docs::{InboxParams, LabelParams, OrderParams, PageParams, SpanParams, ThreadParams};
use crate::views::ThreadList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/threads",
    operation_id = "list_threads",
    tag = "Threads",
    summary = "List threads",
    description = "Lists threads without their messages, newest first. All filters must match.",
    params(InboxParams, PageParams, OrderParams, SpanParams, LabelParams, ThreadParams),
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

/// Reads the filter of a thread list.
pub(crate) fn filter(query: &mut QueryReader) -> ThreadFilter {
    ThreadFilter {
        labels: query.words("labels"),
        before: query.time("before"),
        after: query.time("after"),
        include: query.include(),
        senders: query.texts("senders"),
        recipients: query.texts("recipients"),
        subject: query.texts("subject"),
        search: None,
        words: None,
        assignee: query.text("assignee").map(assignee),
        trust: query.verdicts("trust"),
        page: PageRequest::default(),
    }
}

fn assignee(text: String) -> AssigneeChoice {
    match text.as_str() {
        "me" => AssigneeChoice::Me,
        "none" => AssigneeChoice::Nobody,
        _ => AssigneeChoice::Id(text),
    }
}
