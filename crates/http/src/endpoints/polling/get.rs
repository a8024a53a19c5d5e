//! `GET …/webhooks/polling/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::PollingWebhookView;

#[utoipa::path(
    get,
    path = "/v0/webhooks/polling/{webhook_id}",
    operation_id = "get_polling_webhook",
    tag = "Webhooks",
    summary = "Read polling webhook",
    responses((status = 200, description = "The polling webhook, without its token", body = PollingWebhookView))
)]
pub(crate) async fn handle(call: Authorized<WebhookRead>) -> JsonResult<PollingWebhookView> {
    Ok(Json(webhooks::get_polling(call.app(), &call.caller, call.webhook_id()?).await?.into()))
}
