//! `GET /v0/threads/{thread_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::app::threads;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::downloads::octets::{Octets, attached_file, attachment_link, wants_octets};
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/threads/{thread_id}/attachments/{attachment_id}",
    operation_id = "get_all_thread_attachment",
    tag = "Threads",
    summary = "Read an attachment of a thread by its id alone",
    description = "Answers a short-lived link to the attachment of any message of the thread; with `Accept: application/octet-stream` its octets. Needs `message_read`.",
    params(("thread_id" = String, Path, description = "The thread"), ("attachment_id" = String, Path, description = "The attachment")),
    responses((status = 200, description = "A link to the attachment, or its octets", content(
        (AttachmentLink = "application/json"),
        (Octets = "*/*")
    )))
)]
pub(crate) async fn handle(call: Authenticated) -> Result<HttpResponse, ApiError> {
    call.require(Permission::MessageRead)?;
    let (thread_id, attachment_id) = (call.thread_id()?, call.attachment_id()?);
    let inbox_id = threads::inbox_of(call.app(), &call.caller, thread_id).await?;
    if wants_octets(call.request()) {
        return Ok(attached_file(
            threads::attachment(call.app(), &call.caller, &inbox_id, thread_id, attachment_id).await?,
        ));
    }
    let found = threads::find_attachment(call.app(), &call.caller, &inbox_id, thread_id, attachment_id).await?;
    attachment_link(&call, inbox_id, found)
}
