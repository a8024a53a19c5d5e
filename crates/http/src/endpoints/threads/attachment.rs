//! `GET …/threads/{thread_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::app::threads;
use inboxd_core::model::permissions::MessageRead;

use crate::authorized::Authorized;
use crate::endpoints::downloads::binary::{
    AttachmentFormParams, BinaryBody, attached_file, attached_text, attachment_link, wanted_text, wants_binary,
};
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/threads/{thread_id}/attachments/{attachment_id}",
    operation_id = "get_thread_attachment",
    tag = "Threads",
    summary = "Read thread attachment",
    description = "Returns a short-lived link to the attachment of any message of the thread; with `Accept: application/octet-stream` its bytes, with `as` its text.",
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
    let (thread_id, attachment_id) = (call.thread_id()?, call.attachment_id()?);
    if let Some(format) = wanted_text(&call)? {
        return Ok(attached_text(
            threads::attachment_text(call.app(), &call.caller, thread_id, attachment_id, format).await?,
        ));
    }
    if wants_binary(call.request()) {
        let file = threads::attachment(call.app(), &call.caller, thread_id, attachment_id).await?;
        return attached_file(call.request(), call.app(), file).await;
    }
    let (inbox_id, found) = threads::find_attachment(call.app(), &call.caller, thread_id, attachment_id).await?;
    attachment_link(&call, inbox_id, found)
}
