//! `DELETE /v0/webhooks/{webhook_id}`

use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/webhooks/{webhook_id}",
    operation_id = "delete_webhook",
    tag = "Webhooks",
    summary = "Delete a webhook",
    description = "Deletes a webhook within the caller's reach: nothing more is sent to it. Needs `webhook_delete`.",
    params(("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    call.require(Permission::WebhookDelete)?;
    let within = Within::Reach;
    webhooks::delete(call.app(), &call.caller, &within, call.webhook_id()?).await?;
    Ok(gone())
}
