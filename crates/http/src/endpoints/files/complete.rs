//! `POST /v0/inboxes/{inbox_id}/files/{file_id}/complete`

use actix_web::web::Json;
use inboxd_core::app::files;
use inboxd_core::model::permissions::FileCreate;

use super::download_link;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::FileView;

#[utoipa::path(
    post,
    path = "/v0/inboxes/{inbox_id}/files/{file_id}/complete",
    operation_id = "complete_file",
    tag = "Files",
    summary = "Complete file",
    description = "Makes a pending file ready once its bytes are uploaded. A ready file is returned as it is. A key without `file_read` completes the files that it created.",
    responses(
        (status = 200, description = "The file", body = FileView),
        (status = 409, description = "The bytes are not uploaded yet")
    )
)]
pub(crate) async fn handle(call: Authorized<FileCreate>) -> JsonResult<FileView> {
    let file = files::complete(call.app(), &call.caller, &call.inbox_id(), call.file_id()?).await?;
    let link = download_link(&call, &file)?;
    Ok(Json(FileView::new(file, link.as_ref(), &call.state().base_url)))
}
