//! `GET /v0/downloads/{token}`

use actix_web::HttpResponse;
use inboxd_core::app::downloads::{Downloaded, follow, verify_link};

use super::binary::{BinaryBody, attached_file, attached_text, draft_file, inbox_file, raw_mail};
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;
use crate::path;

#[utoipa::path(
    get,
    path = "/v0/downloads/{token}",
    operation_id = "download",
    tag = "Downloads",
    summary = "Download message, attachment or file",
    description = "Returns the content of a `download_url` or `text_url`. The signed link replaces the API key.",
    security(()),
    params(("token" = String, Path, description = "The signed token of the link")),
    responses((status = 200, description = "The content", body = BinaryBody, content_type = "*/*"))
)]
pub(crate) async fn handle(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let target = verify_link(call.app(), &path::value(&call.request, "token"))?;
    // The organization that issued the link is charged for the download.
    call.admit(target.organization_id()).await?;
    Ok(match follow(call.app(), target).await? {
        Downloaded::Raw(source) => raw_mail(source),
        Downloaded::Attachment(file) => attached_file(file),
        Downloaded::Text(text) => attached_text(text),
        Downloaded::DraftAttachment(file) => draft_file(file),
        Downloaded::File(file) => inbox_file(file),
    })
}
