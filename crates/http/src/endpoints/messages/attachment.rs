//! `GET …/messages/{message_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::app::messages;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::downloads::binary::{
    AttachmentFormParams, BinaryBody, attached_file, attached_text, attachment_link, wanted_text, wants_binary,
};
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
    operation_id = "get_message_attachment",
    tag = "Messages",
    summary = "Read message attachment",
    description = "Returns a short-lived link to the attachment; with `Accept: application/octet-stream` its bytes, with `as` its text.",
    params(AttachmentFormParams),
    responses(
        (status = 200, description = "A link to the attachment, its bytes or its text", content(
            (AttachmentLink = "application/json"),
            (BinaryBody = "*/*")
        )),
        (status = 206, description = "The requested part of its bytes", body = BinaryBody, content_type = "*/*"),
        (status = 416),
        (status = 422)
    )
)]
pub(crate) async fn handle(call: Authorized<MessageRead>) -> Result<HttpResponse, ApiError> {
    let inbox_id = call.inbox_id();
    let (message_id, attachment_id) = (call.message_id(&inbox_id).await?, call.attachment_id()?);
    if let Some(format) = wanted_text(&call)? {
        return Ok(attached_text(
            messages::attachment_text(call.app(), &call.caller, &inbox_id, &message_id, attachment_id, format).await?,
        ));
    }
    if wants_binary(call.request()) {
        let file = messages::attachment(call.app(), &call.caller, &inbox_id, &message_id, attachment_id).await?;
        return attached_file(call.request(), call.app(), file).await;
    }
    let found = messages::find_attachment(call.app(), &call.caller, &inbox_id, &message_id, attachment_id).await?;
    attachment_link(&call, inbox_id, found)
}
