//! `GET /v0/pods/{pod_id}/drafts`

use actix_web::web::Json;
use inboxd_core::app::{drafts, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::endpoints::drafts::list::asked;
use crate::query_docs::{DraftParams, OrderParams, PageParams, SpanParams};
use crate::views::DraftList;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/drafts",
    operation_id = "list_pod_drafts",
    tag = "Drafts",
    summary = "List the drafts of a pod",
    description = "Lists the drafts in the inboxes of a pod, without their bodies, the one changed last first; every filter must match. Needs `draft_read`.",
    params(("pod_id" = String, Path, description = "The pod"), PageParams, OrderParams, SpanParams, DraftParams),
    responses((status = 200, description = "A page of drafts", body = DraftList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<DraftList> {
    let pod_id = call.pod(Permission::DraftRead)?;
    let (filter, paging) = asked(&call, call.query())?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let page = drafts::list(call.app(), &within, None, filter).await?;
    Ok(Json(DraftList::new(page, &paging, call.app().clock.now())))
}
