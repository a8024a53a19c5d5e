//! `GET /v0/inboxes/{inbox_id}/files`

use actix_web::web::Json;
use inboxd_core::app::files::{self, FileFilter};
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::FileRead;
use inboxd_core::rules::files::MAX_PATH_BYTES;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::formats::{ParamFormat, boolean, text};
use crate::query::{PageParams, QueryReader, query_params};
use crate::views::FileList;

query_params! {
    /// Filter and order of files.
    pub(crate) struct FileParams {
        /// Only files whose path begins with this.
        path_prefix: Option<String> = text().with_max_length(MAX_PATH_BYTES),
        /// Order of the paths; by default from A to Z.
        ascending: Direction = PathOrderParam,
    }
}

/// Order of paths, ascending by default.
struct PathOrderParam;

impl ParamFormat<Direction> for PathOrderParam {
    fn read(&self, query: &mut QueryReader, name: &str) -> Direction {
        match query.word(name, &["true", "false"]) {
            Some("false") => Direction::Descending,
            _ => Direction::Ascending,
        }
    }

    fn schema(&self) -> RefOr<Schema> {
        boolean(Some(true)).into()
    }
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
    let FileParams { path_prefix, ascending } = FileParams::read(&mut query);
    let paging = query.page(&call, ascending)?;
    let filter = FileFilter { path_prefix: path_prefix.unwrap_or_default(), page: paging.request.clone() };
    let page = files::list(call.app(), &call.caller, &call.inbox_id(), filter).await?;
    Ok(Json(FileList::new(page, &paging)))
}
