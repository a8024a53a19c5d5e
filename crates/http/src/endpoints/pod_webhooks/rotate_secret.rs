//! `POST /v0/pods/{pod_id}/webhooks/{webhook_id}/rotate-secret`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::Webhook;

#[utoipa::path(
    post,
    path = "/v0/pods/{pod_id}/webhooks/{webhook_id}/rotate-secret",
    operation_id = "rotate_pod_webhook_secret",
    tag = "Webhooks",
    summary = "Rotate the secret of a webhook of a pod",
    description = "Gives the webhook another secret, which is in this answer and nowhere else. For 24 hours the one before signs as well. Needs `webhook_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("webhook_id" = String, Path, description = "The webhook")),
    responses((status = 200, description = "The webhook, with its new secret", body = Webhook))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<Webhook> {
    let within = Within::Pod(call.pod(Permission::WebhookUpdate)?);
    let (webhook, secret) = webhooks::rotate_secret(call.app(), &call.caller, &within, call.webhook_id()?).await?;
    Ok(Json(Webhook::with_secret(webhook, &secret)))
}
