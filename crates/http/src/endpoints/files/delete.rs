//! `DELETE /v0/inboxes/{inbox_id}/files/{file_id}`

use inboxd_core::app::files;
use inboxd_core::model::permissions::FileDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/files/{file_id}",
    operation_id = "delete_file",
    tag = "Files",
    summary = "Delete file",
    description = "Deletes a file, pending or ready. Its path and its storage are free at once, and its links end. A key without `file_read` deletes the files that it created.",
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<FileDelete>) -> NoContent {
    files::delete(call.app(), &call.caller, &call.inbox_id(), call.file_id()?).await?;
    Ok(no_content())
}
