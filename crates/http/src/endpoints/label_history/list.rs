//! `GET …/events`

use actix_web::web::Json;
use inboxd_core::app::label_history;
use inboxd_core::model::permissions::EventRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query_docs::{OrderParams, PageParams};
use crate::views::LabelEventList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/events",
    operation_id = "list_inbox_events",
    tag = "Events",
    summary = "List the label history of an inbox",
    description = "Lists who gave which label to which message, and who took it away, newest first. Labels of the service are nobody's act and not in it. What was done to mail that the key may not see is left out; a page may then be shorter than its limit and have a `next_page_token` all the same.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of the history", body = LabelEventList))
)]
pub(crate) async fn handle(call: Authorized<EventRead>) -> JsonResult<LabelEventList> {
    let inbox_id = call.inbox_id();
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = label_history::list(call.app(), &call.caller, &inbox_id, paging.request.clone()).await?;
    Ok(Json(LabelEventList::new(page, &paging)))
}
