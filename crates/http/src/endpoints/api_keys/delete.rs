//! `DELETE /v0/api-keys/{api_key_id}`

use inboxd_core::app::api_keys;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "delete_api_key",
    tag = "API keys",
    summary = "Revoke an API key",
    description = "Revokes a key: every request that starts after this is refused. Needs `api_key_delete`.",
    params(("api_key_id" = String, Path, description = "The key")),
    responses((status = 204, description = "Revoked"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    call.require(Permission::ApiKeyDelete)?;
    api_keys::revoke(call.app(), &call.caller, None, call.api_key_id()?).await?;
    Ok(gone())
}
