//! `GET /v0/connections/{connection_id}`

use actix_web::web::Json;
use inboxd_core::app::oauth;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::JsonResult;
use crate::views::ConnectionView;

#[utoipa::path(
    get,
    path = "/v0/connections/{connection_id}",
    operation_id = "get_connection",
    tag = "Connections",
    summary = "Read a connection",
    description = "Reads the access of one client. Requires `api_key_read`.",
    params(("connection_id" = String, Path, description = "The connection")),
    responses((status = 200, description = "The connection", body = ConnectionView))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> JsonResult<ConnectionView> {
    call.require(Permission::ApiKeyRead)?;
    let connection_id = call.connection_id()?;
    Ok(Json(oauth::get_connection(call.app(), &call.caller, connection_id).await?.into()))
}
