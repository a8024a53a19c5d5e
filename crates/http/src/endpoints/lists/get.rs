//! `GET /v0/lists/{direction}/{type}/{entry}`

use actix_web::web::Json;
use inboxd_core::app::lists;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::list_path::{entry_of, list_of};
use crate::query_docs::ListParams;
use crate::views::ListEntry;

#[utoipa::path(
    get,
    path = "/v0/lists/{direction}/{type}/{entry}",
    operation_id = "get_list_entry",
    tag = "Lists",
    summary = "Read an entry of a list of the organization",
    description = "Reads an entry. Needs `list_entry_read`.",
    params(ListParams, ("entry" = String, Path, description = "An address or a domain")),
    responses((status = 200, description = "The entry", body = ListEntry))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ListEntry> {
    let list = list_of(&call, Permission::ListEntryRead)?;
    let entry = lists::get(call.app(), &call.caller, &list, &entry_of(&call)).await?;
    Ok(Json(entry.into()))
}
