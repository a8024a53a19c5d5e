//! `GET …/inboxes/search`

use actix_web::web::Json;
use inboxd_core::app::inboxes;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query_docs::{InboxSearchParams, PageParams};
use crate::views::InboxList;

#[utoipa::path(
    get,
    path = "/v0/inboxes/search",
    operation_id = "search_inboxes",
    tag = "Inboxes",
    summary = "Search inboxes",
    description = "Lists the inboxes whose address or display name has, for each word of the search text, a word that begins with it. The inbox with this address is first, then those whose address begins with the text, then the others; each group is ordered by address.",
    params(InboxSearchParams, PageParams),
    responses((status = 200, description = "A page of inboxes", body = InboxList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<InboxList> {
    let mut query = call.query();
    let text = query.required_text("q").unwrap_or_default();
    let paging = query.page(&call, Direction::Ascending)?;
    let page = inboxes::search(call.app(), &call.caller, &text, paging.request.clone()).await?;
    Ok(Json(InboxList::new(page, &paging)))
}
