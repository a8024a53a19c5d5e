//! `GET /v0/inboxes/{inbox_id}/lists/{direction}/{type}`

use actix_web::web::Json;
use inboxd_core::app::lists;
use inboxd_core::model::{Direction, Permission};

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::list_path::list_of;
use crate::query_docs::{ListParams, PageParams};
use crate::views::EntryList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/{inbox_id}/lists/{direction}/{type}",
    operation_id = "list_inbox_list_entries",
    tag = "Lists",
    summary = "List the entries of a list of an inbox",
    description = "Lists the entries in their own order. Needs `list_entry_read`.",
    params(("inbox_id" = String, Path, description = "The inbox"), ListParams, PageParams),
    responses((status = 200, description = "A page of entries", body = EntryList))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<EntryList> {
    let list = list_of(&call, Permission::ListEntryRead)?;
    let paging = call.query().page(&call, Direction::Ascending)?;
    let page = lists::list(call.app(), &call.caller, &list, paging.request.clone()).await?;
    Ok(Json(EntryList::new(page, &paging)))
}
