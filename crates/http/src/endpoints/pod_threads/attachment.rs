//! `GET /v0/pods/{pod_id}/threads/{thread_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::app::{pods, threads};
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::downloads::octets::{Octets, attached_file, attachment_link, wants_octets};
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/pods/{pod_id}/threads/{thread_id}/attachments/{attachment_id}",
    operation_id = "get_pod_thread_attachment",
    tag = "Threads",
    summary = "Read an attachment of a thread of a pod",
    description = "Answers a short-lived link to the attachment of any message of the thread; with `Accept: application/octet-stream` its octets. Needs `message_read`.",
    params(("pod_id" = String, Path, description = "The pod"), ("thread_id" = String, Path, description = "The thread"), ("attachment_id" = String, Path, description = "The attachment")),
    responses((status = 200, description = "A link to the attachment, or its octets", content(
        (AttachmentLink = "application/json"),
        (Octets = "*/*")
    )))
)]
pub(crate) async fn handle(call: Authenticated) -> Result<HttpResponse, ApiError> {
    let pod_id = call.pod(Permission::MessageRead)?;
    let (thread_id, attachment_id) = (call.thread_id()?, call.attachment_id()?);
    let within = pods::enter(call.app(), &call.caller, pod_id).await?;
    let inbox_id = threads::inbox_of(call.app(), &within, thread_id).await?;
    if wants_octets(call.request()) {
        return Ok(attached_file(threads::attachment(call.app(), &within, &inbox_id, thread_id, attachment_id).await?));
    }
    let found = threads::find_attachment(call.app(), &within, &inbox_id, thread_id, attachment_id).await?;
    attachment_link(&call, inbox_id, found)
}
