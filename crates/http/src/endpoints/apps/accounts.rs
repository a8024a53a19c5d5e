//! `GET /v0/apps/{app_id}/accounts`

use actix_web::web::Json;
use inboxd_core::model::Direction;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::LimitParams;
use crate::views::AccountList;

#[utoipa::path(
    get,
    path = "/v0/apps/{app_id}/accounts",
    operation_id = "list_app_accounts",
    tag = "Apps",
    summary = "List app accounts",
    description = "Lists the accounts of inboxes at an external app. The page is always empty: this service offers no apps.",
    params(LimitParams),
    responses((status = 200, description = "An empty page", body = AccountList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<AccountList> {
    let query = call.query();
    let paging = query.page(&call, Direction::Descending)?;
    Ok(Json(AccountList::new(&paging)))
}
