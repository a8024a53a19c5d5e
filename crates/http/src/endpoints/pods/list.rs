//! `GET /v0/pods`

use actix_web::web::Json;
use inboxd_core::app::pods;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::PodList;

#[utoipa::path(
    get,
    path = "/v0/pods",
    operation_id = "list_pods",
    tag = "Pods",
    summary = "List pods",
    description = "Lists the pods in the scope of the key, newest first. Requires `pod_read`.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of pods", body = PodList))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<PodList> {
    call.require(Permission::PodRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = pods::list(call.app(), &call.caller, paging.request.clone()).await?;
    Ok(Json(PodList::new(page, &paging)))
}
