//! `GET …/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::WebhookView;

#[utoipa::path(
    get,
    path = "/v0/webhooks/{webhook_id}",
    operation_id = "get_webhook",
    tag = "Webhooks",
    summary = "Read webhook",
    description = "Returns a webhook. Its secret is empty.",
    responses((status = 200, description = "The webhook", body = WebhookView))
)]
pub(crate) async fn handle(call: Authorized<WebhookRead>) -> JsonResult<WebhookView> {
    Ok(Json(webhooks::get(call.app(), &call.caller, call.webhook_id()?).await?.into()))
}
