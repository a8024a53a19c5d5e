//! `GET /v0/inboxes/{inbox_id}/files`

use actix_web::web::Json;
use inboxd_core::app::files::{self, FileFilter};
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::FileRead;
use utoipa::IntoParams;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query_docs::PageParams;
use crate::views::FileList;

/// Filter and order of files.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query")]
pub(crate) struct FileParams {
    /// Only files whose path begins with this.
    #[param(max_length = 512)]
    path_prefix: Option<String>,
    /// Order of the paths; by default from A to Z.
    #[param(default = true)]
    ascending: Option<bool>,
}

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/files",
    operation_id = "list_files",
    tag = "Files",
    summary = "List files",
    description = "Lists the files of the inbox in the order of their paths, pending ones too, without download links.",
    params(FileParams, PageParams),
    responses((status = 200, description = "A page of files", body = FileList))
)]
pub(crate) async fn handle(call: Authorized<FileRead>) -> JsonResult<FileList> {
    let mut query = call.query();
    let path_prefix = query.text("path_prefix").unwrap_or_default();
    let direction = match query.word("ascending", &["true", "false"]) {
        Some("false") => Direction::Descending,
        _ => Direction::Ascending,
    };
    let paging = query.page(&call, direction)?;
    let filter = FileFilter { path_prefix, page: paging.request.clone() };
    let page = files::list(call.app(), &call.caller, &call.inbox_id(), filter).await?;
    Ok(Json(FileList::new(page, &paging)))
}
