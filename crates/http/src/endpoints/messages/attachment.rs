//! `GET /v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::app::messages;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::downloads::octets::{Octets, attached_file, attachment_link, wants_octets};
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}",
    operation_id = "get_message_attachment",
    tag = "Messages",
    summary = "Read an attachment",
    description = "Answers a short-lived link to the attachment; with `Accept: application/octet-stream` its octets. Requires `message_read`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("message_id" = String, Path, description = "The message, with or without angle brackets"),
        ("attachment_id" = String, Path, description = "The attachment")
    ),
    responses((status = 200, description = "A link to the attachment, or its octets", content(
        (AttachmentLink = "application/json"),
        (Octets = "*/*")
    )))
)]
pub(crate) async fn handle(call: Authenticated) -> Result<HttpResponse, ApiError> {
    let inbox_id = call.inbox(Permission::MessageRead)?;
    let (message_id, attachment_id) = (call.message_id(&inbox_id).await?, call.attachment_id()?);
    if wants_octets(call.request()) {
        return Ok(attached_file(
            messages::attachment(call.app(), &call.caller, &inbox_id, &message_id, attachment_id).await?,
        ));
    }
    let found = messages::find_attachment(call.app(), &call.caller, &inbox_id, &message_id, attachment_id).await?;
    attachment_link(&call, inbox_id, found)
}
