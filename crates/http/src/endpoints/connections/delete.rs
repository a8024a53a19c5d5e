//! `DELETE /v0/connections/{connection_id}`

use inboxd_core::app::oauth;
use inboxd_core::model::Permission;

use crate::auth::AuthenticatedRequest;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/connections/{connection_id}",
    operation_id = "delete_connection",
    tag = "Connections",
    summary = "End a connection",
    description = "Ends the access of a client: its tokens are refused at once. Every role may end their own. Requires `api_key_delete`.",
    params(("connection_id" = String, Path, description = "The connection")),
    responses((status = 204, description = "Ended"))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> NoContent {
    call.require_granted(Permission::ApiKeyDelete)?;
    let connection_id = call.connection_id()?;
    call.with_fix(oauth::revoke_connection(call.app(), &call.caller, connection_id).await)?;
    Ok(no_content())
}
