//! `GET …/accounts`

use actix_web::web::Json;
use inboxd_core::app::apps;
use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::JsonResult;
use crate::query::{LimitParams, OrderParams};
use crate::views::AccountList;

#[utoipa::path(
    get,
    path = "/v0/accounts",
    operation_id = "list_accounts",
    tag = "Apps",
    summary = "List accounts",
    description = "Lists the accounts of the inboxes at external apps. The page is always empty: this service offers no apps.",
    params(LimitParams, OrderParams),
    responses((status = 200, description = "An empty page", body = AccountList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<AccountList> {
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    apps::check_scope(call.app(), &call.caller).await?;
    Ok(Json(AccountList::new(&paging)))
}
