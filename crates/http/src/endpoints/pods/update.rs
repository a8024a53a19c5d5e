//! `PATCH /v0/pods/{pod_id}`

use actix_web::web::Json;
use inboxd_core::app::pods;
use inboxd_core::model::permissions::PodUpdate;

use crate::authorized::Authorized;
use crate::body::{DisplayName, request};
use crate::endpoints::JsonResult;
use crate::views::PodView;

request! {
    /// Changes of a pod; absent fields keep their value.
    pub(crate) struct PodChangeRequest {
        /// New display name.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
    }
}

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}",
    operation_id = "update_pod",
    tag = "Pods",
    summary = "Update pod",
    description = "Changes the name of a pod.",
    request_body = PodChangeRequest,
    responses((status = 200, description = "The pod", body = PodView))
)]
pub(crate) async fn handle(mut call: Authorized<PodUpdate>) -> JsonResult<PodView> {
    let PodChangeRequest { name } = call.body::<PodChangeRequest>().await?.whole()?;
    Ok(Json(pods::update(call.app(), call.caller.original(), call.pod_id()?, name).await?.into()))
}
