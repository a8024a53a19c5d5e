//! `GET …/messages`

use actix_web::web::Json;
use inboxd_core::app::messages::{self, MessageFilter};
use inboxd_core::model::PageRequest;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::QueryReader;
use crate::query_docs::{LabelParams, MessageParams, OrderParams, PageParams, RecipientParams, SpanParams};
use crate::views::MessageList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages",
    operation_id = "list_messages",
    tag = "Messages",
    summary = "List messages",
    description = "Lists messages without their bodies, newest first. All filters must match. Messages labelled spam, blocked, unauthenticated, trash or held are omitted unless included by parameter.",
    params(
        PageParams, OrderParams, SpanParams, LabelParams, MessageParams, RecipientParams
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
    MessageFilter {
        labels: query.words("labels"),
        before: query.time("before"),
        after: query.time("after"),
        include: query.include(),
        from: query.texts("from"),
        to: query.texts("to"),
        subject: query.texts("subject"),
        search: None,
        words: None,
        delivered_to: query.text("delivered_to"),
        tag: query.text("tag"),
        trust: query.verdicts("trust"),
        page: PageRequest::default(),
    }
}
