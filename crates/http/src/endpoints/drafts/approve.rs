//! `POST …/drafts/{draft_id}/approve`

use actix_web::web::Json;
use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftApprove;

use crate::authorized::Authorized;
use crate::body::request;
use crate::endpoints::JsonResult;
use crate::path;
use crate::views::SendResponse;

request! {
    /// Held message to approve.
    pub(crate) struct ApproveDraftRequest {
        /// The `message_id` in the `approval` of the draft: it names the message that the person has read.
        message_id: String,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}/approve",
    operation_id = "approve_draft",
    tag = "Drafts",
    summary = "Approve draft",
    description = "Sends a message that a policy holds, byte for byte as it was held, and removes the draft. Only a person other than the author may do this.",
    request_body = ApproveDraftRequest,
    responses((status = 200, description = "Accepted for delivery", body = SendResponse))
)]
pub(crate) async fn handle(mut call: Authorized<DraftApprove>) -> JsonResult<SendResponse> {
    let read = call.body::<ApproveDraftRequest>().await?;
    let ApproveDraftRequest { message_id } = read.checked(|_| Vec::new())?;
    let (inbox_id, draft_id) = (call.inbox_id(), call.draft_id()?);
    let message_id = path::message_id(&message_id);
    let sent = drafts::approve(call.app(), &call.caller, &inbox_id, draft_id, &message_id).await?;
    Ok(Json(sent.into()))
}
