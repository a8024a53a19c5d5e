//! `POST …/messages/{message_id}/redact`

use actix_web::web::Json;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageDelete;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::MessageItemView;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/redact",
    operation_id = "redact_message",
    tag = "Messages",
    summary = "Redact message",
    description = "Removes the content of a message for good: subject, bodies, attachments, header fields, codes, links and the raw message. Its ids, addresses, times, labels and events stay. A repeat changes nothing.",
    responses((status = 200, description = "What is left of the message", body = MessageItemView), (status = 409))
)]
pub(crate) async fn handle(call: Authorized<MessageDelete>) -> JsonResult<MessageItemView> {
    let inbox_id = call.inbox_id();
    let message_id = call.message_id(&inbox_id).await?;
    Ok(Json(messages::redact(call.app(), &call.caller, &inbox_id, &message_id).await?.into()))
}
