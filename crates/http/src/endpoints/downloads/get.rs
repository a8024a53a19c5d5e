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
    description = "Returns the content of a `download_url` or `text_url`. The signed link replaces the API key. Bytes \
        have an `ETag` and can be requested in parts with `Range` and `If-Range` (RFC 9110, section 14): 206 with the \
        part, 416 behind the end.",
    security(()),
    params(("token" = String, Path, description = "The signed token of the link")),
    responses(
        (status = 200, description = "The content", body = BinaryBody, content_type = "*/*"),
        (status = 206, description = "The requested part", body = BinaryBody, content_type = "*/*"),
        (status = 416),
        (status = 429)
    )
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let target = verify_link(call.app(), &path::value(&call.request, "token"))?;
    // The organization that issued the link is charged for the download.
    call.admit(target.organization_id()).await?;
    call.choose_standby();
    let (request, app) = (&call.request, call.app());
    match follow(app, target).await? {
        Downloaded::Raw(source) => raw_mail(request, app, &source.item, source.content).await,
        Downloaded::Attachment(file) => attached_file(request, app, file).await,
        Downloaded::Text(text) => Ok(attached_text(text)),
        Downloaded::DraftAttachment(file) => draft_file(request, app, file).await,
        Downloaded::File(file) => inbox_file(request, app, file).await,
    }
}
