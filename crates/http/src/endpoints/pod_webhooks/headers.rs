//! `GET /v0/pods/{pod_id}/webhooks/{webhook_id}/headers`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::WebhookHeaderNames;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/webhooks/{webhook_id}/headers",
    operation_id = "get_pod_webhook_headers",
    tag = "Webhooks",
    summary = "List the header fields of a webhook of a pod",
    description = "Names the header fields that are sent along with every event. Their values are never shown. Needs `webhook_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 200, description = "The names", body = WebhookHeaderNames))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<WebhookHeaderNames> {
    let within = Within::Pod(call.pod(Permission::WebhookRead)?);
    let header_names = webhooks::header_names(call.app(), &call.caller, &within, call.webhook_id()?).await?;
    Ok(Json(WebhookHeaderNames { header_names }))
}
