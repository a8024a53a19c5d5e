//! `GET …/domains`

use actix_web::web::Json;
use inboxd_core::app::domains;
use inboxd_core::model::permissions::DomainRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::DomainList;

#[utoipa::path(
    get,
    path = "/v0/domains",
    operation_id = "list_domains",
    tag = "Domains",
    summary = "List domains",
    description = "Lists the domains, newest first.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of domains", body = DomainList))
)]
pub(crate) async fn handle(call: Authorized<DomainRead>) -> JsonResult<DomainList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = domains::list(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(DomainList::new(page, &paging)))
}
