//! `GET …/lists/{direction}/{type}/{entry}`

use actix_web::web::Json;
use inboxd_core::app::lists;
use inboxd_core::model::permissions::ListEntryRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::list_path::{ListParams, ListPath, entry_of, list_name};
use crate::views::ListEntryView;

#[utoipa::path(
    get,
    path = "/v0/lists/{direction}/{type}/{entry}",
    operation_id = "get_list_entry",
    tag = "Lists",
    summary = "Read list entry",
    description = "Returns an entry of a list.",
    params(ListParams, ("entry" = String, Path, description = "An address or a domain")),
    responses((status = 200, description = "The entry", body = ListEntryView))
)]
pub(crate) async fn handle(call: Authorized<ListEntryRead, ListPath>) -> JsonResult<ListEntryView> {
    let list = list_name(&call)?;
    let entry = lists::get(call.app(), &call.caller, list, &entry_of(&call)).await?;
    Ok(Json(entry.into()))
}
