//! `GET …/drafts/{draft_id}/attachments/{attachment_id}`

use actix_web::HttpResponse;
use inboxd_core::app::drafts;
use inboxd_core::model::permissions::DraftRead;

use crate::authorized::Authorized;
use crate::endpoints::downloads::binary::{BinaryBody, draft_file, wants_binary};
use crate::error::ApiError;
use crate::views::AttachmentLink;

#[utoipa::path(
    get,
    path = "/v0/drafts/{draft_id}/attachments/{attachment_id}",
    operation_id = "get_draft_attachment",
    tag = "Drafts",
    summary = "Read draft attachment",
    description = "Returns a short-lived link to the attachment; with `Accept: application/octet-stream` its bytes.",
    responses(
        (status = 200, description = "A link to the attachment, or its bytes", content(
            (AttachmentLink = "application/json"),
            (BinaryBody = "application/octet-stream")
        )),
        (status = 206, description = "The requested part of its bytes", body = BinaryBody, content_type = "application/octet-stream"),
        (status = 416)
    )
)]
pub(crate) async fn handle(call: Authorized<DraftRead>) -> Result<HttpResponse, ApiError> {
    let (app, caller, draft_id, attachment_id) = (call.app(), &call.caller, call.draft_id()?, call.attachment_id()?);
    if wants_binary(call.request()) {
        let file = drafts::attachment(app, caller, draft_id, attachment_id).await?;
        return draft_file(call.request(), app, file).await;
    }
    let (attachment, link) = drafts::link(app, caller, draft_id, attachment_id).await?;
    Ok(HttpResponse::Ok().json(AttachmentLink::new(attachment, &link, None, &call.state().base_url)))
}
