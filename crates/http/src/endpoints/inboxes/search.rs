//! `GET …/inboxes/search`

use actix_web::web::Json;
use inboxd_core::app::inboxes;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;
use inboxd_core::rules::inbox_search::MAX_SEARCH_CHARS;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::formats::required_text;
use crate::query::{PageParams, query_params};
use crate::views::InboxList;

/// Pattern of a text with a word: a character that is neither white space nor ASCII punctuation, and no NUL.
const HAS_WORD: &str = r"^[^\u0000]*[^\u0000\u0009-\u000d\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$";

query_params! {
    /// Search text of inboxes.
    pub(crate) struct InboxSearchParams {
        /// Words of which each begins a word of the address or display name. Case of ASCII letters is ignored.
        q: Option<String> = required_text().with_pattern(HAS_WORD, MAX_SEARCH_CHARS),
    }
}

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
    let text = InboxSearchParams::read(&mut query).q.unwrap_or_default();
    let paging = query.page(&call, Direction::Ascending)?;
    let page = inboxes::search(call.app(), &call.caller, &text, paging.request.clone()).await?;
    Ok(Json(InboxList::new(page, &paging)))
}
