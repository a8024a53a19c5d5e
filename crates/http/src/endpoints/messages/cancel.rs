//! `POST …/messages/{message_id}/cancel`

use actix_web::web::Json;
use inboxd_core::app::drafts;
use inboxd_core::model::permissions::MessageSend;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::CancelledSend;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/cancel",
    operation_id = "cancel_message",
    tag = "Messages",
    summary = "Cancel send",
    description = "Cancels a send with `send_at` or `undo_seconds` that has not left. Its draft stays, without a schedule; a repeat returns the same draft.",
    responses((status = 200, description = "The cancelled send", body = CancelledSend), (status = 409))
)]
pub(crate) async fn handle(call: Authorized<MessageSend>) -> JsonResult<CancelledSend> {
    let inbox_id = call.inbox_id();
    let message_id = call.message_id(&inbox_id).await?;
    let draft = drafts::cancel(call.app(), &call.caller, &inbox_id, &message_id).await?;
    Ok(Json(CancelledSend::new(&message_id, &draft)))
}
