//! `GET /v0/inboxes/{inbox_id}/webhooks/{webhook_id}`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Webhook;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}",
    operation_id = "get_inbox_webhook",
    tag = "Webhooks",
    summary = "Read a webhook of an inbox",
    description = "Reads a webhook that was made for this inbox; its secret is empty. Needs `webhook_read`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 200, description = "The webhook", body = Webhook))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Webhook> {
    let within = Within::Inbox(call.inbox(Permission::WebhookRead)?);
    Ok(Json(webhooks::get(call.app(), &call.caller, &within, call.webhook_id()?).await?.into()))
}
