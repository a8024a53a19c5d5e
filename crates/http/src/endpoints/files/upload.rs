//! `PUT /v0/uploads/{token}`: the URL of an upload, which the document does not list.

use actix_web::web::Json;
use inboxd_core::app::files::{upload, verify_upload};

use crate::auth::UnauthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::path;
use crate::views::UploadedFile;

/// Takes the bytes of a pending file. The signed URL replaces the API key.
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> JsonResult<UploadedFile> {
    let target = verify_upload(call.app(), &path::value(&call.request, "token"))?;
    let content = call.content(usize::try_from(target.size).unwrap_or(usize::MAX)).await?;
    // The organization that issued the URL is charged for the upload.
    call.admit(target.organization_id).await?;
    Ok(Json(upload(call.app(), &target, content).await?.into()))
}
