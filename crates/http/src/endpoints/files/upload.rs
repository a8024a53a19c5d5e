//! `PUT /v0/uploads/{token}`

use actix_web::web::Json;
use inboxd_core::app::files::{upload, verify_upload};

use crate::auth::UnauthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::endpoints::downloads::binary::BinaryBody;
use crate::path;
use crate::views::UploadedFile;

#[utoipa::path(
    put,
    path = "/v0/uploads/{token}",
    operation_id = "upload_file",
    tag = "Files",
    summary = "Upload content of file",
    description = "Takes the bytes of a pending file, at the URL that its creation returns. The signed URL replaces the API key. Only the declared bytes are accepted, so a repeat changes nothing. Then complete the file.",
    security(()),
    params(("token" = String, Path, description = "The signed token of the URL")),
    request_body(content = inline(BinaryBody), description = "The bytes", content_type = "application/octet-stream"),
    responses((status = 200, description = "Accepted", body = UploadedFile))
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<UploadedFile> {
    let target = verify_upload(call.app(), &path::value(&call.request, "token"))?;
    let content = call.content(usize::try_from(target.size).unwrap_or(usize::MAX)).await?;
    // The organization that issued the URL is charged for the upload.
    call.admit(target.organization_id).await?;
    Ok(Json(upload(call.app(), &target, content).await?.into()))
}
