//! `GET /v0/suppressions`

use actix_web::web::Json;
use inboxd_core::app::lists;
use inboxd_core::model::permissions::ListEntryRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::SuppressionList;

#[utoipa::path(
    get,
    path = "/v0/suppressions",
    operation_id = "list_suppressions",
    tag = "Lists",
    summary = "List suppressed addresses",
    description = "Lists the addresses that refused a message permanently or marked one as spam, newest first. No message is sent to them, regardless of allow lists.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of addresses", body = SuppressionList))
)]
pub(crate) async fn handle(call: Authorized<ListEntryRead>) -> JsonResult<SuppressionList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = lists::list_suppressions(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(SuppressionList::new(page, &paging)))
}
