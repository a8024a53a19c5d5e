//! `GET /v0/connections`

use actix_web::web::Json;
use inboxd_core::app::oauth;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::query::{OrderParams, PageParams};
use crate::views::ConnectionList;

#[utoipa::path(
    get,
    path = "/v0/connections",
    operation_id = "list_connections",
    tag = "Connections",
    summary = "List connections",
    description = "Lists the clients with access by OAuth, newest first: a person's own; for owners, admins and keys of a verified organization those of all members. Requires `api_key_read`.",
    params(PageParams, OrderParams),
    responses((status = 200, description = "A page of connections", body = ConnectionList))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<ConnectionList> {
    call.require(Permission::ApiKeyRead)?;
    let mut query = call.query();
    let direction = query.direction();
    let paging = query.page(&call, direction)?;
    let page = call.with_fix(oauth::list_connections(call.app(), &call.caller, paging.request.clone()).await)?;
    Ok(Json(ConnectionList::new(page, &paging)))
}
