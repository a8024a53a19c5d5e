//! `GET /v0/apps`

use actix_web::web::Json;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use super::AppCategoryParams;
use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::LimitParams;
use crate::views::AppList;

#[utoipa::path(
    get,
    path = "/v0/apps",
    operation_id = "list_apps",
    tag = "Apps",
    summary = "List apps",
    description = "Lists the external apps that inboxes can sign in to. The page is always empty: this service offers no apps.",
    params(LimitParams, AppCategoryParams),
    responses((status = 200, description = "An empty page", body = AppList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<AppList> {
    let mut query = call.query();
    AppCategoryParams::read(&mut query);
    let paging = query.page(&call, Direction::Descending)?;
    Ok(Json(AppList::new(&paging)))
}
