//! `DELETE /v0/pods/{pod_id}/webhooks/{webhook_id}`

use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/pods/{pod_id}/webhooks/{webhook_id}",
    operation_id = "delete_pod_webhook",
    tag = "Webhooks",
    summary = "Delete a webhook of a pod",
    description = "Deletes a webhook that was made for this pod or an inbox of it: nothing more is sent to it. Needs `webhook_delete`.",
    params(("pod_id" = String, Path, description = "The pod"), ("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let within = Within::Pod(call.pod(Permission::WebhookDelete)?);
    webhooks::delete(call.app(), &call.caller, &within, call.webhook_id()?).await?;
    Ok(gone())
}
