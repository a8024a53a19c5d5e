//! `POST …/webhooks/{webhook_id}/rotate-secret`

use actix_web::web::Json;
use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookUpdate;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::WebhookView;

#[utoipa::path(
    post,
    path = "/v0/webhooks/{webhook_id}/rotate-secret",
    operation_id = "rotate_webhook_secret",
    tag = "Webhooks",
    summary = "Rotate webhook secret",
    description = "Creates a new secret, which only this response contains. For 24 hours the previous one signs as well.",
    responses((status = 200, description = "The webhook, with its new secret", body = WebhookView))
)]
pub(crate) async fn handle(call: Authorized<WebhookUpdate>) -> JsonResult<WebhookView> {
    let (webhook, secret) = webhooks::rotate_secret(call.app(), &call.caller, call.webhook_id()?).await?;
    Ok(Json(WebhookView::with_secret(webhook, &secret)))
}
