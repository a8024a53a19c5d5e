//! `DELETE …/webhooks/polling/{webhook_id}`

use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/webhooks/polling/{webhook_id}",
    operation_id = "delete_polling_webhook",
    tag = "Webhooks",
    summary = "Delete polling webhook",
    description = "Deletes a polling webhook, a subscription whose events are read with a token. The token stops working at once.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<WebhookDelete>) -> NoContent {
    webhooks::delete_polling(call.app(), &call.caller, call.webhook_id()?).await?;
    Ok(no_content())
}
