//! `POST …/webhooks/{webhook_id}/replay`

use actix_web::web::Json;
use inboxd_core::app::webhooks::{self, Again};
use inboxd_core::model::permissions::WebhookUpdate;

use crate::auth::AuthenticatedRequest;
use crate::authorized::Authorized;
use crate::body::{Timestamp, request};
use crate::endpoints::JsonResult;
use crate::error::ApiError;
use crate::views::WebhookReplayView;

request! {
    /// What to tell again: one event, or everything from a moment on.
    pub(crate) struct ReplayRequest {
        /// One event.
        event_id: Option<String>,
        /// Everything that happened from this moment on.
        since: Option<Timestamp>,
    }
}

/// Reads the replay request.
async fn again(call: &mut AuthenticatedRequest) -> Result<Again, ApiError> {
    let read = call.body::<ReplayRequest>().await?;
    let read = read.map(|ReplayRequest { event_id, since }| Again { event_id, since: since.map(|time| time.0) });
    // Both fields are readable here; the use case requires exactly one of them.
    Ok(read.whole()?)
}

#[utoipa::path(
    post,
    path = "/v0/webhooks/{webhook_id}/replay",
    operation_id = "replay_webhook",
    tag = "Webhooks",
    summary = "Replay events to webhook",
    description = "Delivers one event again, or all matching events since a time, oldest first and beside new events.",
    request_body = ReplayRequest,
    responses(
        (status = 200, description = "What is queued", body = WebhookReplayView),
        (status = 400, description = "Older than events are kept")
    )
)]
pub(crate) async fn handle(mut call: Authorized<WebhookUpdate>) -> JsonResult<WebhookReplayView> {
    let again = again(&mut call).await?;
    let webhook_id = call.webhook_id()?;
    let replayed = webhooks::replay(call.app(), &call.caller, webhook_id, again).await?;
    Ok(Json(WebhookReplayView::new(webhook_id, replayed)))
}
