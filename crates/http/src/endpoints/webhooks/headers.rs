//! `GET /v0/webhooks/{webhook_id}/headers`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::WebhookHeaderNames;

#[utoipa::path(
    get,
    path = "/v0/webhooks/{webhook_id}/headers",
    operation_id = "get_webhook_headers",
    tag = "Webhooks",
    summary = "List the header fields of a webhook",
    description = "Names the header fields that are sent along with every event. Their values are never shown. Needs `webhook_read`.",
    params(("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 200, description = "The names", body = WebhookHeaderNames))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<WebhookHeaderNames> {
    call.require(Permission::WebhookRead)?;
    let within = Within::Reach;
    let header_names = webhooks::header_names(call.app(), &call.caller, &within, call.webhook_id()?).await?;
    Ok(Json(WebhookHeaderNames { header_names }))
}
