//! `GET …/messages/search`

use actix_web::web::Json;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{IncludeParams, LabelParams, OrderParams, PageParams, QueryReader, RecipientParams, SpanParams};
use crate::search_text::{SearchParams, SearchText};
use crate::views::MessageSearchList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/search",
    operation_id = "search_messages",
    tag = "Messages",
    summary = "Search messages",
    description = "Lists the messages with the search text or words in sender, recipients, subject or text, newest first, without their bodies.",
    params(
        SearchParams, PageParams, OrderParams, SpanParams, LabelParams, IncludeParams, RecipientParams
    ),
    responses((status = 200, description = "A page of messages", body = MessageSearchList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<MessageSearchList> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = MessageFilter { page: paging.request.clone(), ..filter };
    let page = messages::search(call.app(), &call.caller, &inbox_id, filter).await?;
    Ok(Json(MessageSearchList::new(page, &paging)))
}

/// Reads the filter of a message search.
pub(crate) fn filter(query: &mut QueryReader) -> MessageFilter {
    let SearchText { substring, words } = query.search();
    let LabelParams { labels } = LabelParams::read(query);
    let SpanParams { before, after } = SpanParams::read(query);
    let include = IncludeParams::read(query);
    let RecipientParams { delivered_to, tag } = RecipientParams::read(query);
    MessageFilter {
        search: substring,
        words,
        labels,
        before,
        after,
        include,
        delivered_to,
        tag,
        ..MessageFilter::default()
    }
}
