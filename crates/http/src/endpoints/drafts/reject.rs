//! `POST …/drafts/{draft_id}/reject`

use actix_web::web::Json;
use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftApprove;

use crate::authorized::Authorized;
use crate::body::{Reason, request};
use crate::endpoints::JsonResult;
use crate::path;
use crate::views::DraftView;

request! {
    /// Held message to reject.
    pub(crate) struct RejectDraftRequest {
        /// The `message_id` in the `approval` of the draft.
        message_id: String,
        /// Reason for the author.
        #[schema(value_type = Option<Reason>)]
        reason: Option<String>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}/reject",
    operation_id = "reject_draft",
    tag = "Drafts",
    summary = "Reject draft",
    description = "Rejects a message that a policy holds. The draft stays, and its author can change and send it again. Only a person other than the author may do this.",
    request_body = RejectDraftRequest,
    responses((status = 200, description = "The draft", body = DraftView))
)]
pub(crate) async fn handle(mut call: Authorized<DraftApprove>) -> JsonResult<DraftView> {
    let read = call.body::<RejectDraftRequest>().await?;
    let RejectDraftRequest { message_id, reason } = read.checked(|_| Vec::new())?;
    let (inbox_id, draft_id) = (call.inbox_id(), call.draft_id()?);
    let message_id = path::message_id(&message_id);
    let draft = drafts::reject(call.app(), &call.caller, &inbox_id, draft_id, &message_id, reason).await?;
    Ok(Json(DraftView::new(draft, call.app().clock.now())))
}
