//! `GET …/inboxes`

use actix_web::web::Json;
use inboxd_core::app::inboxes;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::InboxList;

#[utoipa::path(
    get,
    path = "/v0/inboxes",
    operation_id = "list_inboxes",
    tag = "Inboxes",
    summary = "List inboxes",
    description = "Lists the inboxes, newest first.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of inboxes", body = InboxList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<InboxList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = inboxes::list(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(InboxList::new(page, &paging)))
}
