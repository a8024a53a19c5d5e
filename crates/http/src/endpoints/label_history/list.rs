//! `GET …/events`

use actix_web::web::Json;
use inboxd_core::app::label_history;
use inboxd_core::model::permissions::EventRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::LabelEventList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/events",
    operation_id = "list_inbox_events",
    tag = "Events",
    summary = "List label history",
    description = "Lists the labels that callers added to messages and removed from them, newest first, without labels set by the service. Changes of messages that the key may not read are omitted; a page may then be shorter than its limit and still have a `next_page_token`.",
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
