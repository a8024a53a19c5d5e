//! `GET …/lists/{direction}/{type}`

use actix_web::web::Json;
use inboxd_core::app::lists;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::ListEntryRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::list_path::{ListParams, ListPath, list_name};
use crate::query::PageParams;
use crate::views::EntryList;

#[utoipa::path(
    get,
    path = "/v0/lists/{direction}/{type}",
    operation_id = "list_list_entries",
    tag = "Lists",
    summary = "List allow or block entries",
    description = "Lists the entries in alphabetical order. Suppressed addresses are read-only entries of the list `send`/`block` of the organization.",
    params(ListParams, PageParams),
    responses((status = 200, description = "A page of entries", body = EntryList))
)]
pub(crate) async fn handle(call: Authorized<ListEntryRead, ListPath>) -> JsonResult<EntryList> {
    let list = list_name(&call)?;
    let paging = call.query().page(&call, Direction::Ascending)?;
    let page = lists::list(call.app(), &call.caller, list, paging.request.clone()).await?;
    Ok(Json(EntryList::new(page, &paging)))
}
