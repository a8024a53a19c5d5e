//! `GET …/trace`

use actix_web::web::Json;
use inboxd_core::app::trace::{self, TraceFilter};
use inboxd_core::model::permissions::MessageRead;
use inboxd_core::model::{PageRequest, ThreadId};
use time::OffsetDateTime;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::path;
use crate::query::formats::{date_time, id, text};
use crate::query::{OrderParams, PageParams, QueryReader, query_params};
use crate::views::TraceList;

query_params! {
    /// Filters of a trace.
    pub(crate) struct TraceParams {
        /// Only entries about this message, with or without the angle brackets of its id.
        message_id: Option<String> = text(),
        /// Only entries about messages of this thread.
        thread_id: Option<ThreadId> = id(ThreadId::PREFIX),
        /// Only entries about stored messages from or to this address, and refusals of mail from it.
        with: Option<String> = text(),
        /// Only entries at or after this time.
        start: Option<OffsetDateTime> = date_time(),
        /// Only entries before this time.
        end: Option<OffsetDateTime> = date_time(),
    }
}

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
    let TraceParams { message_id, thread_id, with, start, end } = TraceParams::read(query);
    TraceFilter {
        message_id: message_id.as_deref().map(path::message_id),
        thread_id,
        correspondent: with,
        start,
        end,
        page: PageRequest::default(),
    }
}
