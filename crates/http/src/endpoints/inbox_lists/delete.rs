//! `DELETE /v0/inboxes/{inbox_id}/lists/{direction}/{type}/{entry}`

use inboxd_core::app::lists;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};
use crate::list_path::{entry_of, list_of};
use crate::query_docs::ListParams;

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/lists/{direction}/{type}/{entry}",
    operation_id = "delete_inbox_list_entry",
    tag = "Lists",
    summary = "Take somebody from a list of an inbox",
    description = "Deletes an entry. Needs `list_entry_delete`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ListParams, ("entry" = String, Path, description = "An address or a domain")),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let list = list_of(&call, Permission::ListEntryDelete)?;
    lists::delete(call.app(), &call.caller, &list, &entry_of(&call)).await?;
    Ok(gone())
}
