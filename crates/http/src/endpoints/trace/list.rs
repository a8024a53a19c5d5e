//! `GET …/trace`

use actix_web::web::Json;
use inboxd_core::app::trace::{self, TraceFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{MessageId, PageRequest};

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::QueryReader;
use crate::query_docs::{OrderParams, PageParams, TraceParams};
use crate::views::TraceList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/trace",
    operation_id = "list_trace",
    tag = "Trace",
    summary = "Trace messages",
    description = "Lists what happened to the messages of the inbox, newest first: events with the judgement of received messages and with webhook attempts, label changes by callers, delivery attempts with the replies of the servers, mail that was refused at SMTP within seven days, and the first read of a message by each person, connection and key. Every filter must match. Entries about messages that the key may not read are omitted; a page may be shorter than its limit, or empty, and still have a `next_page_token`.",
    params(TraceParams, PageParams, OrderParams),
    responses((status = 200, description = "A page of the trace", body = TraceList))
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> JsonResult<TraceList> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let filter = filter(&mut query);
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let filter = TraceFilter { page: paging.request.clone(), ..filter };
    let page = trace::list(call.app(), &call.caller, &inbox_id, filter).await?;
    Ok(Json(TraceList::new(page, &paging)))
}

/// Reads the filter of a trace.
pub(crate) fn filter(query: &mut QueryReader) -> TraceFilter {
    TraceFilter {
        message_id: query.text("message_id").map(MessageId::stored),
        thread_id: query.id("thread_id"),
        correspondent: query.text("with"),
        start: query.time("start"),
        end: query.time("end"),
        page: PageRequest::default(),
    }
}
