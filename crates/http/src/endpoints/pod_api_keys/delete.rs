//! `DELETE /v0/pods/{pod_id}/api-keys/{api_key_id}`

use inboxd_core::app::{api_keys, pods};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/pods/{pod_id}/api-keys/{api_key_id}",
    operation_id = "delete_pod_api_key",
    tag = "API keys",
    summary = "Revoke an API key of a pod",
    description = "Revokes a key that reaches the pod or one of its inboxes and nothing beyond. Needs `api_key_delete`.",
    params(("pod_id" = String, Path, description = "The pod"), ("api_key_id" = String, Path, description = "The key")),
    responses((status = 204, description = "Revoked"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let pod_id = call.pod(Permission::ApiKeyDelete)?;
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    api_keys::revoke(call.app(), &within, None, call.api_key_id()?).await?;
    Ok(gone())
}
