//! `GET /v0/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Webhook;

#[utoipa::path(
    get,
    path = "/v0/webhooks/{webhook_id}",
    operation_id = "get_webhook",
    tag = "Webhooks",
    summary = "Read a webhook",
    description = "Reads a webhook within the caller's reach; its secret is empty. Needs `webhook_read`.",
    params(("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 200, description = "The webhook", body = Webhook))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Webhook> {
    call.require(Permission::WebhookRead)?;
    let within = Within::Reach;
    Ok(Json(webhooks::get(call.app(), &call.caller, &within, call.webhook_id()?).await?.into()))
}
