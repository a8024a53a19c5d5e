//! `GET /v0/pods/{pod_id}/domains`

use actix_web::web::Json;
use inboxd_core::app::{domains, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::{OrderParams, PageParams};
use crate::views::DomainList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/domains",
    operation_id = "list_pod_domains",
    tag = "Domains",
    summary = "List the domains of a pod",
    description = "Lists the domains that belong to a pod, newest first. Needs `domain_read`.",
    params(("pod_id" = String, Path, description = "The pod"), PageParams, OrderParams),
    responses((status = 200, description = "A page of domains", body = DomainList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<DomainList> {
    let pod_id = call.pod(Permission::DomainRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let page = domains::list(call.app(), &within, paging.request.clone()).await?;
    Ok(Json(DomainList::new(page, &paging)))
}
