//! `POST /v0/webhooks/{webhook_id}/replay`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Again, Within};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::body::{Timestamp, request};
use crate::endpoints::Answer;
use crate::error::ApiError;
use crate::views::WebhookReplay;

request! {
    /// What to tell again: one event, or everything from a moment on.
    pub(crate) struct ReplayRequest {
        /// One event.
        event_id: Option<String>,
        /// Everything that happened from this moment on.
        since: Option<Timestamp>,
    }
}

/// Reads what a call asks for, the same way whatever the webhook was made for.
pub(in crate::endpoints) async fn again(call: &mut Authenticated) -> Result<Again, ApiError> {
    let read = call.body::<ReplayRequest>().await?;
    let read = read.map(|ReplayRequest { event_id, since }| Again { event_id, since: since.map(|time| time.0) });
    // Whether it is one of both is asked once both can be read.
    Ok(read.whole()?)
}

#[utoipa::path(
    post,
    path = "/v0/webhooks/{webhook_id}/replay",
    operation_id = "replay_webhook",
    tag = "Webhooks",
    summary = "Tell a webhook again",
    description = "Tells a webhook again of one event, or of everything that it listens to from a moment on, the oldest first and beside what is new. Needs `webhook_update`.",
    params(("webhook_id" = String, Path, description = "The webhook")),
    request_body = ReplayRequest,
    responses(
        (status = 200, description = "What is queued", body = WebhookReplay),
        (status = 400, description = "Older than events are kept")
    )
)]
pub(crate) async fn handle(mut call: Authenticated) -> Answer<WebhookReplay> {
    call.require(Permission::WebhookUpdate)?;
    let within = Within::Reach;
    let again = again(&mut call).await?;
    let webhook_id = call.webhook_id()?;
    let replayed = webhooks::replay(call.app(), &call.caller, &within, webhook_id, again).await?;
    Ok(Json(WebhookReplay::new(webhook_id, replayed)))
}
