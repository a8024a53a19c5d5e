//! `GET /v0/pods/{pod_id}`

use actix_web::web::Json;
use inboxd_core::app::pods;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Pod;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}",
    operation_id = "get_pod",
    tag = "Pods",
    summary = "Read a pod",
    description = "Requires `pod_read`.",
    params(("pod_id" = String, Path, description = "The pod")),
    responses((status = 200, description = "The pod", body = Pod))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Pod> {
    // A member limited to some inboxes reads the pods of these, so the use case checks the scope.
    let named = call.pod_id();
    if named.is_err() {
        call.require(Permission::PodRead)?;
    }
    Ok(Json(pods::get(call.app(), &call.caller, named?).await?.into()))
}
