//! `DELETE /v0/inboxes/{inbox_id}/webhooks/{webhook_id}`

use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}",
    operation_id = "delete_inbox_webhook",
    tag = "Webhooks",
    summary = "Delete a webhook of an inbox",
    description = "Deletes a webhook that was made for this inbox: nothing more is sent to it. Needs `webhook_delete`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let within = Within::Inbox(call.inbox(Permission::WebhookDelete)?);
    webhooks::delete(call.app(), &call.caller, &within, call.webhook_id()?).await?;
    Ok(gone())
}
