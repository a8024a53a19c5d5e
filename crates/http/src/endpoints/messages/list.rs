//! `GET …/messages`

use actix_web::web::Json;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::PageRequest;
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::rules::trust::Verdict;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::formats::{texts, verdicts};
use crate::query::{
    IncludeParams, LabelParams, OrderParams, PageParams, QueryReader, RecipientParams, SpanParams, query_params,
};
use crate::views::MessageList;

query_params! {
    /// Filters of messages.
    pub(crate) struct MessageParams {
        /// Substrings of the sender. All must match; letter case is ignored.
        from: Vec<String> = texts(),
        /// Substrings of the recipients. All must match; letter case is ignored.
        to: Vec<String> = texts(),
        /// Substrings of the subject. All must match; letter case is ignored.
        subject: Vec<String> = texts(),
        /// Verdicts of trust (`trusted`, `known`, `first_contact`, `suspicious`), of which a message must have one.
        trust: Vec<Verdict> = verdicts(),
    }
}

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages",
    operation_id = "list_messages",
    tag = "Messages",
    summary = "List messages",
    description = "Lists messages without their bodies, newest first. All filters must match. Messages labelled spam, blocked, unauthenticated, trash or held are omitted unless included by parameter.",
    params(
        PageParams, OrderParams, SpanParams, LabelParams, IncludeParams, MessageParams, RecipientParams
    ),
    responses((status = 200, description = "A page of messages", body = MessageList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<MessageList> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = MessageFilter { page: paging.request.clone(), ..filter };
    let page = messages::list(call.app(), &call.caller, &inbox_id, filter).await?;
    Ok(Json(MessageList::new(page, &paging)))
}

/// Reads the filter of a message list.
pub(crate) fn filter(query: &mut QueryReader) -> MessageFilter {
    let LabelParams { labels } = LabelParams::read(query);
    let SpanParams { before, after } = SpanParams::read(query);
    let include = IncludeParams::read(query);
    let MessageParams { from, to, subject, trust } = MessageParams::read(query);
    let RecipientParams { delivered_to, tag } = RecipientParams::read(query);
    MessageFilter {
        labels,
        before,
        after,
        include,
        from,
        to,
        subject,
        search: None,
        words: None,
        delivered_to,
        tag,
        trust,
        page: PageRequest::default(),
    }
}
