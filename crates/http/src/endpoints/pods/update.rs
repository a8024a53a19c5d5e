//! `PATCH /v0/pods/{pod_id}`

use actix_web::web::Json;
use inboxd_core::app::pods::{self, PodChange};
use inboxd_core::model::permissions::PodUpdate;

use crate::authorized::Authorized;
use crate::body::{DisplayName, Nullable, QuarantineModeName, request};
use crate::endpoints::JsonResult;
use crate::views::PodView;

request! {
    /// Changes of a pod; absent fields keep their value.
    pub(crate) struct PodChangeRequest {
        /// New display name.
        #[schema(value_type = Option<DisplayName>)]
        name: Option<String>,
        /// Own quarantine of messages that the inboxes of the pod receive from now on; null leaves it to the
        /// organization. The strictest of organization, pod and inbox applies. A less strict one also requires
        /// `agent_armor_release`.
        #[schema(value_type = Option<QuarantineModeName>)]
        quarantine: Nullable<QuarantineModeName>,
    }
}

#[utoipa::path(
    patch,
    path = "/v0/pods/{pod_id}",
    operation_id = "update_pod",
    tag = "Pods",
    summary = "Update pod",
    description = "Changes the name and the quarantine of a pod. Also requires `agent_armor_release` for a less strict quarantine.",
    request_body = PodChangeRequest,
    responses((status = 200, description = "The pod", body = PodView))
)]
pub(crate) async fn handle(mut call: Authorized<PodUpdate>) -> JsonResult<PodView> {
    let PodChangeRequest { name, quarantine } = call.body::<PodChangeRequest>().await?.whole()?;
    let change = PodChange { name, quarantine: quarantine.sent().map(|own| own.map(|mode| mode.0)) };
    Ok(Json(pods::update(call.app(), call.caller.original(), call.pod_id()?, change).await?.into()))
}
