//! `DELETE …/webhooks/{webhook_id}`

use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/webhooks/{webhook_id}",
    operation_id = "delete_webhook",
    tag = "Webhooks",
    summary = "Delete webhook",
    description = "Deletes a webhook. No delivery follows.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<WebhookDelete>) -> NoContent {
    webhooks::delete(call.app(), &call.caller, call.webhook_id()?).await?;
    Ok(no_content())
}
