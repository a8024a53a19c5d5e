//! `GET /v0/api-keys/{api_key_id}`

use actix_web::web::Json;
use inboxd_core::model::{self, Caller, Permission, Reach};
use inboxd_core::{Error, Resource};

use crate::auth::Authenticated;
use crate::endpoints::Answer;
use crate::views::ApiKey;

#[utoipa::path(
    get,
    path = "/v0/api-keys/{api_key_id}",
    operation_id = "get_api_key",
    tag = "API keys",
    summary = "Read an API key",
    description = "Reads a key within the caller's reach. Needs `api_key_read`.",
    params(("api_key_id" = String, Path, description = "The key")),
    responses((status = 200, description = "The key", body = ApiKey))
)]
pub(crate) async fn handle(call: Authenticated) -> Answer<ApiKey> {
    call.require(Permission::ApiKeyRead)?;
    let api_key_id = call.api_key_id()?;
    let found = call.app().store.api_key(call.caller.organization.organization_id, api_key_id).await?;
    let key = found.filter(|key| lists(&call.caller, key));
    let key = key.ok_or_else(|| Error::not_found(Resource::ApiKey, api_key_id))?;
    Ok(Json(ApiKey::new(key, call.app().clock.now())))
}

/// Whether the caller's list of keys holds a key.
fn lists(caller: &Caller, key: &model::ApiKey) -> bool {
    match (&caller.reach, &key.reach) {
        (Reach::Organization, _) => true,
        (Reach::Pod(pod), Reach::Pod(other) | Reach::Inbox { pod_id: other, .. }) => pod == other,
        (Reach::Inbox { inbox_id, .. }, Reach::Inbox { inbox_id: other, .. }) => inbox_id == other,
        (Reach::Inboxes(theirs), Reach::Inbox { inbox_id, .. }) => theirs.contains(inbox_id),
        _ => false,
    }
}
