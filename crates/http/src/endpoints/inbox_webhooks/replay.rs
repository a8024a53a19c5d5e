//! `POST /v0/inboxes/{inbox_id}/webhooks/{webhook_id}/replay`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;

use crate::endpoints::Answer;
use crate::endpoints::webhooks::replay::{ReplayRequest, again};
use crate::views::WebhookReplay;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}/replay",
    operation_id = "replay_inbox_webhook",
    tag = "Webhooks",
    summary = "Tell a webhook of an inbox again",
    description = "Tells a webhook again of one event, or of everything that it listens to from a moment on, the oldest first and beside what is new. Needs `webhook_update`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ("webhook_id" = String, Path, description = "The webhook")),
    request_body = ReplayRequest,
    responses(
        (status = 200, description = "What is queued", body = WebhookReplay),
        (status = 400, description = "Older than events are kept")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<WebhookReplay> {
    let within = Within::Inbox(call.inbox(Permission::WebhookUpdate)?);
    let again = again(&mut call).await?;
    let webhook_id = call.webhook_id()?;
    let replayed = webhooks::replay(call.app(), &call.caller, &within, webhook_id, again).await?;
    Ok(Json(WebhookReplay::new(webhook_id, replayed)))
}
