//! `DELETE /v0/pods/{pod_id}`

use inboxd_core::Error;
use inboxd_core::app::pods;
use inboxd_core::model::permissions::PodDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};
use crate::error::ApiError;

#[utoipa::path(
    delete,
    path = "/v0/pods/{pod_id}",
    operation_id = "delete_pod",
    tag = "Pods",
    summary = "Delete pod",
    description = "Deletes a pod without inboxes and revokes the keys limited to it. The default pod cannot be deleted.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<PodDelete>) -> NoContent {
    let pod_id = call.pod_id()?;
    let deleted = pods::delete(call.app(), call.caller.original(), pod_id).await;
    deleted.map_err(|refusal| match refusal {
        Error::CannotDelete { .. } if pod_id == call.caller.organization.default_pod_id => {
            ApiError::from(refusal).fix("keep the default pod; an organization always has one")
        }
        refusal => refusal.into(),
    })?;
    Ok(no_content())
}
