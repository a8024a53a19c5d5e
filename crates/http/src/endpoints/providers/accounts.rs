//! `GET /v0/providers/{provider_id}/accounts`

use inboxd_core::model::permissions::InboxRead;

use crate::authorized::Authorized;
use crate::endpoints::{JsonResult, apps};
use crate::query::LimitParams;
use crate::views::AccountList;

#[utoipa::path(
    get,
    path = "/v0/providers/{provider_id}/accounts",
    operation_id = "list_provider_accounts",
    tag = "Apps",
    summary = "List provider accounts",
    description = "Lists the accounts of inboxes at an external app. The page is always empty: this service offers no apps. `providers` is the former name of `apps`.",
    params(LimitParams),
    responses((status = 200, description = "An empty page", body = AccountList))
)]
pub(crate) async fn handle(call: Authorized<InboxRead>) -> JsonResult<AccountList> {
    apps::accounts::handle(call).await
}
