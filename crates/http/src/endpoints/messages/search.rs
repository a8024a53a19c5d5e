//! `GET …/messages/search`

use actix_web::web::Json;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::QueryReader;
use crate::query_docs::{LabelParams, OrderParams, PageParams, RecipientParams, SearchParams, SpanParams};
use crate::views::MessageList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/search",
    operation_id = "search_messages",
    tag = "Messages",
    summary = "Search messages",
    description = "Lists the messages with the search text in sender, recipients, subject or text, newest first, without their bodies.",
    params(
        SearchParams, PageParams, OrderParams, SpanParams, LabelParams, RecipientParams
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

/// Reads the filter of a message search.
pub(crate) fn filter(query: &mut QueryReader) -> MessageFilter {
    MessageFilter {
        search: query.required_text("q"),
        labels: query.words("labels"),
        before: query.time("before"),
        after: query.time("after"),
        include: query.include(),
        delivered_to: query.text("delivered_to"),
        tag: query.text("tag"),
        ..MessageFilter::default()
    }
}
