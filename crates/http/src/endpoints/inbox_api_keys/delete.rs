//! `DELETE /v0/inboxes/{inbox_id}/api-keys/{api_key_id}`

use inboxd_core::app::api_keys;
use inboxd_core::model::Permission;

use crate::auth::Authenticated;
use crate::endpoints::{Gone, gone};

#[utoipa::path(
    delete,
    path = "/v0/inboxes/{inbox_id}/api-keys/{api_key_id}",
    operation_id = "delete_inbox_api_key",
    tag = "API keys",
    summary = "Revoke an API key of an inbox",
    description = "Revokes a key that reaches exactly this inbox. Needs `api_key_delete`.",
    params(
        ("inbox_id" = String, Path, description = "The inbox"),
        ("api_key_id" = String, Path, description = "The key")
    ),
    responses((status = 204, description = "Revoked"))
)]
pub(crate) async fn handle(call: Authenticated) -> Gone {
    let inbox_id = call.inbox(Permission::ApiKeyDelete)?;
    api_keys::revoke(call.app(), &call.caller, Some(&inbox_id), call.api_key_id()?).await?;
    Ok(gone())
}
