//! `GET …/threads`

use actix_web::web::Json;
use inboxd_core::app::threads::{self, AssigneeChoice, ThreadFilter};
use inboxd_core::model::PageRequest;
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::rules::trust::Verdict;

use crate::authorized::{Authorized, InboxQuery};
use crate::endpoints::JsonResult;
use crate::query::formats::{text, texts, verdicts};
use crate::query::{IncludeParams, LabelParams, OrderParams, PageParams, QueryReader, SpanParams, query_params};
use crate::views::ThreadList;

query_params! {
    /// Filters of threads.
    pub(crate) struct ThreadParams {
        /// Substrings of the senders. All must match; letter case is ignored.
        senders: Vec<String> = texts(),
        /// Substrings of the recipients. All must match; letter case is ignored.
        recipients: Vec<String> = texts(),
        /// Substrings of the subject. All must match; letter case is ignored.
        subject: Vec<String> = texts(),
        /// Assignee of the thread: `me`, `none`, or the id of a member or API key.
        assignee: Option<String> = text(),
        /// Verdicts of trust (`trusted`, `known`, `first_contact`, `suspicious`), of which the newest received message
        /// must have one.
        trust: Vec<Verdict> = verdicts(),
    }
}

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/threads",
    operation_id = "list_threads",
    tag = "Threads",
    summary = "List threads",
    description = "Lists threads without their messages, newest first. All filters must match.",
    params(InboxQuery, PageParams, OrderParams, SpanParams, LabelParams, IncludeParams, ThreadParams),
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
    let LabelParams { labels } = LabelParams::read(query);
    let SpanParams { before, after } = SpanParams::read(query);
    let include = IncludeParams::read(query);
    let ThreadParams { senders, recipients, subject, assignee, trust } = ThreadParams::read(query);
    ThreadFilter {
        labels,
        before,
        after,
        include,
        senders,
        recipients,
        subject,
        search: None,
        words: None,
        assignee: assignee.map(assignee_choice),
        trust,
        page: PageRequest::default(),
    }
}

fn assignee_choice(text: String) -> AssigneeChoice {
    match text.as_str() {
        "me" => AssigneeChoice::Me,
        "none" => AssigneeChoice::Nobody,
        _ => AssigneeChoice::Id(text),
    }
}
