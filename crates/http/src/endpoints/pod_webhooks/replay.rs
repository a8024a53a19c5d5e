//! `POST /v0/pods/{pod_id}/webhooks/{webhook_id}/replay`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;

use crate::endpoints::Answer;
use crate::endpoints::webhooks::replay::{ReplayRequest, again};
use crate::views::WebhookReplay;

#[utoipa::path(
    post,
    path = "/v0/pods/{pod_id}/webhooks/{webhook_id}/replay",
    operation_id = "replay_pod_webhook",
    tag = "Webhooks",
    summary = "Tell a webhook of a pod again",
    description = "Tells a webhook again of one event, or of everything that it listens to from a moment on, the oldest first and beside what is new. Needs `webhook_update`.",
    params(("pod_id" = String, Path, description = "The pod"), ("webhook_id" = String, Path, description = "The webhook")),
    request_body = ReplayRequest,
    responses(
        (status = 200, description = "What is queued", body = WebhookReplay),
        (status = 400, description = "Older than events are kept")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<WebhookReplay> {
    let within = Within::Pod(call.pod(Permission::WebhookUpdate)?);
    let again = again(&mut call).await?;
    let webhook_id = call.webhook_id()?;
    let replayed = webhooks::replay(call.app(), &call.caller, &within, webhook_id, again).await?;
    Ok(Json(WebhookReplay::new(webhook_id, replayed)))
}
