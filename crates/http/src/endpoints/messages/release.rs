//! `POST …/messages/{message_id}/agent-armor/release`

use actix_web::web::Json;
use inboxd_core::app::quarantine;
use inboxd_core::model::permissions::AgentArmorRelease;

use crate::authorized::Authorized;
use crate::body::{QuarantineText, request};
use crate::endpoints::JsonResult;
use crate::views::ReleasedMessageView;

request! {
    /// Release of a held message.
    pub(crate) struct ReleaseRequest {
        /// Why the message is safe.
        #[schema(value_type = QuarantineText)]
        reason: String,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/release",
    operation_id = "release_message",
    tag = "Messages",
    summary = "Release held message",
    description = "Releases a held message: it loses the labels `held` and `agent-armor-held`, and `message.received` and `message.security.override` are sent. A repeat with the same reason by the same author returns the first release. Also requires `message_read`.",
    request_body = ReleaseRequest,
    responses((status = 200, description = "The release", body = ReleasedMessageView), (status = 409))
)]
pub(crate) async fn handle(mut call: Authorized<AgentArmorRelease>) -> JsonResult<ReleasedMessageView> {
    let inbox_id = call.inbox_id();
    let read = call.body::<ReleaseRequest>().await?;
    let request = read.checked(|request| quarantine::problems_of_release(&request.reason))?;
    let message_id = call.message_id(&inbox_id).await?;
    Ok(Json(quarantine::release(call.app(), &call.caller, &inbox_id, &message_id, &request.reason).await?.into()))
}
