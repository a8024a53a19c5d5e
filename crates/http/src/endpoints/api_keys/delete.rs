//! `DELETE …/api-keys/{api_key_id}`

use inboxd_core::app::api_keys;
use inboxd_core::model::permissions::ApiKeyDelete;

use crate::authorized::Authorized;
use crate::endpoints::{NoContent, no_content};

#[utoipa::path(
    delete,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "delete_api_key",
    tag = "API keys",
    summary = "Revoke API key",
    description = "Revokes a key. Requests that start after the response are refused.",
    responses((status = 204, description = "Revoked"))
)]
pub(crate) async fn handle(call: Authorized<ApiKeyDelete>) -> NoContent {
    api_keys::revoke(call.app(), &call.caller, call.api_key_id()?).await?;
    Ok(no_content())
}
