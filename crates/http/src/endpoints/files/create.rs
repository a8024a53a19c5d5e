//! `POST /v0/inboxes/{inbox_id}/files`

use actix_web::web::Json;
use inboxd_core::app::files::{self, NewFile};
use inboxd_core::model::permissions::FileCreate;

use super::download_link;
use crate::authorized::Authorized;
use crate::body::{ContentDigest, Timestamp, request};
use crate::endpoints::JsonResult;
use crate::views::CreatedFileView;

request! {
    /// File to create.
    pub(crate) struct NewFileRequest {
        /// Path within the inbox: names with `/` between them, at most 512 bytes.
        #[schema(example = "reports/q3.pdf")]
        path: String,
        /// Size in bytes, at most 25,000,000.
        #[schema(maximum = 25_000_000)]
        size: u32,
        /// SHA-256 of the content in base64.
        sha256: ContentDigest,
        /// Media type; by default `application/octet-stream`.
        #[schema(example = "application/pdf")]
        content_type: Option<String>,
        /// Time of expiry, rounded up to a whole second. Without it the file is kept until its deletion.
        expires_at: Option<Timestamp>,
    }
}

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/files",
    operation_id = "create_file",
    tag = "Files",
    summary = "Create file",
    description = "Creates a pending file and returns the URL that takes its bytes; then complete the file. Its size counts as storage from now on. The same request again returns the same file. Another request for the path of a pending file without content replaces it; any other path in use is refused.",
    request_body = NewFileRequest,
    responses(
        (status = 200, description = "The file, with `upload` while it is pending", body = CreatedFileView),
        (status = 409, description = "The path is in use")
    )
)]
pub(crate) async fn handle(mut call: Authorized<FileCreate>) -> JsonResult<CreatedFileView> {
    let now = call.app().clock.now();
    let read = call.body::<NewFileRequest>().await?.map(|request| NewFile {
        path: request.path,
        size: request.size.into(),
        sha256: request.sha256.0,
        content_type: request.content_type,
        expires_at: request.expires_at.map(|Timestamp(at)| at),
    });
    let new = read.checked(|new| files::problems_of_new(new, now))?;
    let created = files::create(call.app(), &call.caller, &call.inbox_id(), new).await?;
    let link = download_link(&call, &created.file)?;
    Ok(Json(CreatedFileView::new(created, link.as_ref(), &call.state().base_url)))
}
