//! `GET /v0/pods/{pod_id}/inboxes`

use actix_web::web::Json;
use inboxd_core::app::{inboxes, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::query_docs::{OrderParams, PageParams};
use crate::views::InboxList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/inboxes",
    operation_id = "list_pod_inboxes",
    tag = "Pods",
    summary = "List the inboxes of a pod",
    description = "Lists the inboxes of a pod, newest first. Needs `inbox_read`.",
    params(("pod_id" = String, Path, description = "The pod"), PageParams, OrderParams),
    responses((status = 200, description = "A page of inboxes", body = InboxList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<InboxList> {
    let pod_id = call.pod(Permission::InboxRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let page = inboxes::list(call.app(), &within, paging.request.clone()).await?;
    Ok(Json(InboxList::new(page, &paging)))
}
