//! `POST /v0/pods`

use actix_web::web::Json;
use inboxd_core::app::pods::{self, NewPod};
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::body::{ClientId, DisplayName, request};
use crate::endpoints::JsonResult;
use crate::views::PodView;

request! {
    /// Pod to create.
    pub(crate) struct NewPodRequest {
        /// Display name; by default a readable generated name.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// Idempotency key: a repeat returns the pod created before.
        #[schema(value_type = Option<ClientId>)]
        client_id: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/pods",
    operation_id = "create_pod",
    tag = "Pods",
    summary = "Create pod",
    description = "Creates a pod, or returns the one that the same `client_id` created before. Requires `pod_create`.",
    request_body = NewPodRequest,
    responses((status = 200, description = "The pod", body = PodView))
)]
pub(crate) async fn handle(mut call: AuthenticatedRequest) -> JsonResult<PodView> {
    call.require(Permission::PodCreate)?;
    let read = call.body::<NewPodRequest>().await?;
    let new =
        read.map(|NewPodRequest { name, client_id }| NewPod { name, client_id }).checked(pods::problems_of_new)?;
    Ok(Json(pods::create(call.app(), &call.caller, new).await?.into()))
}
