//! `GET /v0/providers`

use actix_web::web::Json;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::LimitParams;
use crate::views::ProviderList;

#[utoipa::path(
    get,
    path = "/v0/providers",
    operation_id = "list_providers",
    tag = "Apps",
    summary = "List providers",
    description = "Lists the external apps that inboxes can sign in to. The page is always empty: this service offers no apps. `providers` is the former name of `apps`.",
    params(LimitParams),
    responses((status = 200, description = "An empty page", body = ProviderList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<ProviderList> {
    let query = call.query();
    let paging = query.page(&call, Direction::Descending)?;
    Ok(Json(ProviderList::new(&paging)))
}
