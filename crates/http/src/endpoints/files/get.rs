//! `GET /v0/inboxes/{inbox_id}/files/{file_id}`

use actix_web::web::Json;
use inboxd_core::app::files;
use inboxd_core::model::permissions::FileRead;

use super::download_link;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::views::FileView;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/files/{file_id}",
    operation_id = "get_file",
    tag = "Files",
    summary = "Read file",
    description = "Returns a file; a ready one with a new download link.",
    responses((status = 200, description = "The file", body = FileView))
)]
pub(crate) async fn handle(call: Authorized<FileRead>) -> JsonResult<FileView> {
    let file = files::get(call.app(), &call.caller, &call.inbox_id(), call.file_id()?).await?;
    let link = download_link(&call, &file)?;
    Ok(Json(FileView::new(file, link.as_ref(), &call.state().base_url)))
}
