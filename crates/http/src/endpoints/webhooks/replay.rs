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
    /// Events to deliver again: one event, or all events since a time.
    pub(crate) struct ReplayRequest {
        /// Id of one event.
        event_id: Option<String>,
        /// Time of the oldest event to deliver, inclusive.
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
        (status = 200, description = "The queued deliveries", body = WebhookReplayView),
        (status = 400, description = "Older than the retention of events")
    )
)]
pub(crate) async fn handle(mut call: Authorized<WebhookUpdate>) -> JsonResult<WebhookReplayView> {
    let again = again(&mut call).await?;
    let webhook_id = call.webhook_id()?;
    let replayed = webhooks::replay(call.app(), &call.caller, webhook_id, again).await?;
    Ok(Json(WebhookReplayView::new(webhook_id, replayed)))
}
