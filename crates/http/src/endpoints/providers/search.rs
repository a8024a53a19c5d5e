//! `GET /v0/providers/search`

use actix_web::web::Json;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::endpoints::apps::AppSearchParams;
use crate::query::LimitParams;
use crate::views::ProviderList;

#[utoipa::path(
    get,
    path = "/v0/providers/search",
    operation_id = "search_providers",
    tag = "Apps",
    summary = "Search providers",
    description = "Searches the external apps by the beginning of their name. The page is always empty: this service offers no apps. `providers` is the former name of `apps`.",
    params(AppSearchParams, LimitParams),
    responses((status = 200, description = "An empty page", body = ProviderList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<ProviderList> {
    let mut query = call.query();
    AppSearchParams::read(&mut query);
    let paging = query.page(&call, Direction::Descending)?;
    Ok(Json(ProviderList::new(&paging)))
}
