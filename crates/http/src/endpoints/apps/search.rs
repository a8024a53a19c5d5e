//! `GET /v0/apps/search`

use actix_web::web::Json;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use super::AppSearchParams;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::LimitParams;
use crate::views::AppList;

#[utoipa::path(
    get,
    path = "/v0/apps/search",
    operation_id = "search_apps",
    tag = "Apps",
    summary = "Search apps",
    description = "Searches the external apps by the beginning of their name. The page is always empty: this service offers no apps.",
    params(AppSearchParams, LimitParams),
    responses((status = 200, description = "An empty page", body = AppList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<AppList> {
    let mut query = call.query();
    AppSearchParams::read(&mut query);
    let paging = query.page(&call, Direction::Descending)?;
    Ok(Json(AppList::new(&paging)))
}
