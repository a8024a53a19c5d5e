//! `GET /v0/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::downloads::octets::Octets;
use crate::endpoints::drafts;
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}",
    operation_id = "get_inbox_draft_attachment",
    tag = "Drafts",
    summary = "Read an attachment",
    description = "Answers a short-lived link to the attachment; with `Accept: application/octet-stream` its octets. Needs `draft_read`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("draft_id" = String, Path, description = "The draft"),
        ("attachment_id" = String, Path, description = "The attachment")
    ),
    responses((status = 200, description = "A link to the attachment, or its octets", content(
        (AttachmentLink = "application/json"),
        (Octets = "application/octet-stream")
    )))
)]
pub(crate) async fn handle(call: Authenticated) -> Result<HttpResponse, ApiError> {
    let inbox_id = call.inbox(Permission::DraftRead)?;
    drafts::attachment::answer(&call, Some(&inbox_id)).await
}
