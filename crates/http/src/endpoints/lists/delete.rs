//! `DELETE …/lists/{direction}/{type}/{entry}`

use inboxd_core::app::lists;
use inboxd_core::model::permissions::ListEntryDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};
use crate::list_path::{ListParams, ListPath, entry_of, list_name};

#[utoipa::path(
    delete,
    path = "/v0/lists/{direction}/{type}/{entry}",
    operation_id = "delete_list_entry",
    tag = "Lists",
    summary = "Delete list entry",
    description = "Deletes an entry of a list. Suppressed addresses cannot be deleted.",
    params(ListParams, ("entry" = String, Path, description = "An address or a domain")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authorized<ListEntryDelete, ListPath>) -> NoContent {
    let list = list_name(&call)?;
    lists::delete(call.app(), &call.caller, list, &entry_of(&call)).await?;
    Ok(no_content())
}
