//! `DELETE …/api-keys/{api_key_id}`

use inboxd_core::app::api_keys;
use inboxd_core::model::Permission;
use inboxd_core::model::permissions::ApiKeyDelete;

use crate::auth::AuthenticatedRequest;
use crate::authorized::{Authorized, PathScope};
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "delete_api_key",
    tag = "API keys",
    summary = "Revoke API key",
    description = "Revokes a key. Requests that start after the response are refused. Every role may revoke the key of its own sign-in with that key. Requires `api_key_delete`.",
    responses((status = 204, description = "Revoked"))
)]
pub(crate) async fn handle(call: AuthenticatedRequest) -> NoContent {
    let path = call.request().match_info();
    let is_of_organization = path.get("pod_id").is_none() && path.get("inbox_id").is_none();
    if is_of_organization
        && let Ok(api_key_id) = call.api_key_id()
        && api_keys::is_own(&call.caller, api_key_id)
    {
        call.require_granted(Permission::ApiKeyDelete)?;
        api_keys::revoke_own(call.app(), &call.caller, api_key_id).await?;
        return Ok(no_content());
    }
    let call = Authorized::<ApiKeyDelete, PathScope>::new(call)?;
    api_keys::revoke(call.app(), &call.caller, call.api_key_id()?).await?;
    Ok(no_content())
}
