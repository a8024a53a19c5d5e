//! `GET …/webhooks/{webhook_id}/headers`

use actix_web::web::Json;
use inboxd_core::app::webhooks;
use inboxd_core::model::permissions::WebhookRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::WebhookHeaderNames;

#[utoipa::path(
    get,
    path = "/v0/webhooks/{webhook_id}/headers",
    operation_id = "get_webhook_headers",
    tag = "Webhooks",
    summary = "List webhook header fields",
    description = "Lists the names of the header fields that every delivery carries. Their values are never shown.",
    responses((status = 200, description = "The names", body = WebhookHeaderNames))
)]
pub(crate) async fn handle(call: Authorized<WebhookRead>) -> JsonResult<WebhookHeaderNames> {
    let header_names = webhooks::header_names(call.app(), &call.caller, call.webhook_id()?).await?;
    Ok(Json(WebhookHeaderNames { header_names }))
}
