//! `GET /v0/pods/{pod_id}`

use actix_web::web::Json;
use inboxd_core::app::pods;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::PodView;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}",
    operation_id = "get_pod",
    tag = "Pods",
    summary = "Read pod",
    description = "Returns a pod. Requires `pod_read`.",
    params(("pod_id" = String, Path, description = "Id of the pod")),
    responses((status = 200, description = "The pod", body = PodView))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<PodView> {
    // A member limited to some inboxes reads the pods of these, so the use case checks the scope.
    let named = call.pod_id();
    if named.is_err() {
        call.require(Permission::PodRead)?;
    }
    Ok(Json(pods::get(call.app(), &call.caller, named?).await?.into()))
}
